/**
 * The case files name the values that are accepted only because upstream accepts them. Each of these must come with a
 * warning, and no other accepted object may.
 */
import { describe, expect, test } from 'vitest';
import {
  type AKSNodeClass,
  doubtfulAksValues,
  doubtfulEc2Values,
  doubtfulPoolValues,
  type EC2NodeClass,
  type NodePool,
} from '../../packages/chandler/src/api/index.ts';
import { objectOf, readCaseFiles } from '../cluster/crds/cases.ts';

const MARK = ', as upstream accepts it';

const WARNINGS: Readonly<Record<string, (object: unknown) => readonly unknown[]>> = {
  NodePool: (object) => doubtfulPoolValues((object as NodePool).spec),
  AKSNodeClass: (object) => doubtfulAksValues((object as AKSNodeClass).spec),
  EC2NodeClass: (object) => doubtfulEc2Values((object as EC2NodeClass).spec),
};

const accepted = readCaseFiles().flatMap(({ base, cases }) =>
  cases
    .filter(({ refused }) => refused === undefined)
    .map((row) => ({ name: row.name, object: objectOf(base, row, 'a') })),
);
const marked = accepted.filter(({ name }) => name.endsWith(MARK));
const sound = accepted.filter(({ name, object }) => !name.endsWith(MARK) && object.kind! in WARNINGS);

describe('a value that is accepted because upstream accepts it', () => {
  test.each(marked)('$name: there is a warning', ({ object }) => {
    expect(WARNINGS[object.kind!]!(object)).not.toEqual([]);
  });
});

test('other accepted objects have no warning', () => {
  expect(sound.length).toBeGreaterThan(40);
  for (const { name, object } of sound) expect(WARNINGS[object.kind!]!(object), name).toEqual([]);
});

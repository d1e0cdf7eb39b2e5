import { expect, test } from 'vitest';
import { resolveOptions } from '../../../settings/index.ts';
import { GOOD_ENV } from './options.fixture.ts';
import { AZURE_CONTROLLER_OPTIONS } from './options.ts';

test.each([
  ['http://nps.example', [{ code: 'DoubtfulValue', where: 'NODEBOOTSTRAPPING_SERVER_URL' }]],
  ['https://nps.example', []],
])('a bootstrapping server at %s, which is sent our token', (url, expected) => {
  const env = { ...GOOD_ENV, NODEBOOTSTRAPPING_SERVER_URL: url };
  const { warnings, problems } = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: () => '',
  });
  expect(problems).toEqual([]);
  expect(warnings).toMatchObject(expected);
});

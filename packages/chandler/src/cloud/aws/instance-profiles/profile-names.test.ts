import { expect, test } from 'vitest';
import { classPath, legacyProfileName, profileName, profileTags } from './profile-names.ts';
import { UNUSED_MS, UnusedProfiles } from './unused-profiles.ts';

const scope = { region: 'us-west-2', clusterName: 'dev' };
const owner = { name: 'default', uid: 'uid-1' };

test('a profile has the form that Karpenter gives it', () => {
  expect(profileName(scope, owner, 'node')).toMatch(/^dev_\d{1,20}$/);
  expect(classPath(scope, owner.uid)).toBe('/karpenter/us-west-2/dev/uid-1/');
  expect(profileTags(scope, 'default', { team: 'a' })).toEqual({
    team: 'a',
    'kubernetes.io/cluster/dev': 'owned',
    'eks:eks-cluster-name': 'dev',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'topology.kubernetes.io/region': 'us-west-2',
  });
});

test('it is the same at every attempt, and another one for another role, class or cluster', () => {
  const names = [
    profileName(scope, owner, 'node'),
    profileName(scope, owner, 'other'),
    profileName(scope, { ...owner, uid: 'uid-2' }, 'node'),
    profileName({ ...scope, clusterName: 'prod' }, owner, 'node'),
  ];
  expect(profileName(scope, owner, 'node')).toBe(names[0]);
  expect(new Set(names).size).toBe(4);
});

test('the profile of old versions of Karpenter is found by its name', () => {
  // FNV-1 of "us-west-2default".
  expect(legacyProfileName(scope, 'default')).toBe('dev_4067990795380418201');
});

test('a profile is unused after an hour without a class, a claim and a template', () => {
  let nowMs = 0;
  const unused = new UnusedProfiles({ monotonic: () => nowMs });
  const profiles = ['a', 'b', 'c', 'd'].map((name) => ({ name, arn: `arn:${name}`, path: '/' }));
  const uses = { current: new Set(['a']), launched: new Set(['b']), templates: new Set(['c']) };
  expect(unused.observe(profiles, uses)).toEqual([]);
  nowMs = UNUSED_MS - 1;
  expect(unused.observe(profiles, uses)).toEqual([]);
  nowMs = UNUSED_MS;
  expect(unused.observe(profiles, uses).map(({ name }) => name)).toEqual(['d']);
});

test('a use in between begins the hour anew', () => {
  let nowMs = 0;
  const unused = new UnusedProfiles({ monotonic: () => nowMs });
  const profiles = [{ name: 'a', arn: 'arn:a', path: '/' }];
  const none = { current: new Set<string>(), launched: new Set<string>(), templates: new Set<string>() };
  unused.observe(profiles, none);
  nowMs = UNUSED_MS / 2;
  unused.observe(profiles, { ...none, launched: new Set(['a']) });
  nowMs = UNUSED_MS;
  expect(unused.observe(profiles, none)).toEqual([]);
  nowMs = 2 * UNUSED_MS;
  expect(unused.observe(profiles, none)).toHaveLength(1);
});

/**
 * The rooms of `src/` and what each may import (docs/architecture.md tells the why).
 * A name ending in `.ts` is a room of one file.
 */
const GROUND = ['world.ts', 'api', 'settings', 'causes', 'journey.ts'] as const;
const MIND = ['scheduling', 'disruption'] as const;
const HANDS = ['kube', 'arm', 'bootstrap', 'cloud'] as const;
const BODY = [...GROUND, ...MIND, ...HANDS, 'state'] as const;

export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'world.ts': [],
  api: [],
  settings: ['api'],
  causes: ['api'],
  'journey.ts': ['api', 'settings'],
  scheduling: ['api'],
  disruption: ['api', 'scheduling'],
  kube: ['api', 'world.ts'],
  arm: ['world.ts', 'settings'],
  bootstrap: ['api', 'settings', 'causes', 'world.ts'],
  cloud: ['api', 'scheduling', 'settings', 'bootstrap', 'causes', 'journey.ts', 'arm', 'world.ts'],
  state: ['api', 'scheduling', 'kube', 'world.ts'],
  diagnose: BODY,
  controllers: [...BODY, 'diagnose'],
  operator: [...BODY, 'diagnose', 'controllers'],
  readiness: ['api', 'settings', 'causes', 'cloud', 'kube', 'diagnose', 'arm', 'world.ts'],
  flexnode: ['api', 'world.ts', 'settings', 'causes', 'arm'],
  playground: ['api', 'world.ts', 'kube'],
  dashboard: ['api', 'state', 'kube', 'diagnose', 'world.ts'],
  cli: [...BODY, 'diagnose', 'controllers', 'operator', 'readiness', 'flexnode', 'playground', 'dashboard'],
};

/** Files that may touch what the rest must take from the World. Everything else in `src/` may not. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'packages/chandler/src/cli/system-world.ts': ['clock', 'chance', 'timers', 'network'],
  'packages/chandler/src/cli/main.ts': ['environment', 'output', 'timers'],
  // The same for the executable that machines without Node.js get.
  'packages/chandler/src/cli/flexnode-main.ts': ['environment'],
};

/** The worlds by name, each with a step that is called ten times a second. */
import { HostileWorld } from './hostile-world.ts';
import { HugeWorld } from './huge-world.ts';
import { SmallWorld } from './small-world.ts';
import { World } from './world.ts';

export interface MadeWorld {
  readonly world: World;
  readonly step: () => void;
}

export type WorldName = 'small' | 'huge' | 'empty' | 'hostile' | 'denied';

const CHANGES_PER_STEP = 20;

export function makeWorld(name: string): MadeWorld {
  const make = WORLDS[name as WorldName];
  if (make === undefined)
    throw new Error(`unknown world ${name}; available: ${Object.keys(WORLDS).join(', ')}`);
  return make();
}

const WORLDS: Readonly<Record<WorldName, () => MadeWorld>> = {
  small: () => {
    const world = new SmallWorld();
    let steps = 0;
    return { world, step: () => (steps++ % 10 === 0 ? world.tick() : undefined) };
  },
  huge: () => {
    const world = new HugeWorld();
    return { world, step: () => world.change(CHANGES_PER_STEP) };
  },
  empty: () => ({ world: new World(1), step: () => undefined }),
  hostile: () => ({ world: new HostileWorld(), step: () => undefined }),
  denied: () => {
    const world = new SmallWorld();
    for (const pod of [...world.pods.values()]) world.removePod(pod);
    world.missing = [
      {
        resource: 'pods',
        reason: 'denied',
        text: 'pods is forbidden: User "viewer" cannot list resource "pods"',
      },
      { resource: 'nodeclaims.karpenter.sh', reason: 'not-installed', text: 'the CRD is not installed' },
    ];
    world.takeChanges();
    return { world, step: () => undefined };
  },
};

/**
 * What must hold when a run is ended at any point. Each scenario makes a machine of its own, ends a run at the given
 * point, lets the next run finish, and returns what is wrong: nothing, if all is well.
 */
import { appendFileSync } from 'node:fs';
import { JOURNAL_PATH } from '../../packages/chandler/src/flexnode/testing.ts';
import { OPERATOR_TOKEN } from './fake-azure.ts';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';
import { type KillSwitch, killSwitch } from './kill-switch.ts';
import { filesOf, OWN_STATE } from './tree.ts';

export interface Scenario {
  readonly name: string;
  /** What comes before the run that is ended. */
  readonly prepare: (machine: FolderMachine) => Promise<unknown>;
  readonly ended: (machine: FolderMachine, kill: KillSwitch) => Promise<unknown>;
  readonly next: (machine: FolderMachine) => Promise<{ readonly problem?: string }>;
  readonly wanted: 'node' | 'before';
}

const nothing = async () => undefined;
const bootstrapped = async (machine: FolderMachine) => {
  const { error } = await machine.bootstrap();
  return error === undefined ? {} : { problem: error.message };
};
const undone = async (machine: FolderMachine) => {
  const { success, leftovers, error } = await machine.unbootstrap();
  return success ? {} : { problem: error?.message ?? JSON.stringify(leftovers) };
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a bootstrap that died is completed by the next',
    prepare: nothing,
    ended: (machine, kill) => machine.bootstrap({ kill }),
    next: bootstrapped,
    wanted: 'node',
  },
  {
    name: 'a bootstrap that died is undone without a trace',
    prepare: nothing,
    ended: (machine, kill) => machine.bootstrap({ kill }),
    next: undone,
    wanted: 'before',
  },
  {
    name: 'an unbootstrap that died is completed by the next',
    prepare: bootstrapped,
    ended: (machine, kill) => machine.unbootstrap({ kill }),
    next: undone,
    wanted: 'before',
  },
  {
    name: 'an unbootstrap that died can be turned back into a node',
    prepare: bootstrapped,
    ended: (machine, kill) => machine.unbootstrap({ kill }),
    next: bootstrapped,
    wanted: 'node',
  },
];

/** How a machine looks from outside: files, services, Azure. */
export interface View {
  readonly tree: readonly string[];
  readonly services: readonly string[];
  readonly azure: readonly string[];
}

export async function wantedView(wanted: Scenario['wanted']): Promise<View> {
  return await withMachine(async (machine) => {
    if (wanted === 'node') await machine.bootstrap();
    return viewOf(machine, wanted);
  });
}

export async function countPoints(scenario: Scenario): Promise<number> {
  return await withMachine(async (machine) => {
    await scenario.prepare(machine);
    const kill = killSwitch();
    await scenario.ended(machine, kill);
    return kill.points.length;
  });
}

/** Lines that say what is wrong after an end at this point. */
export async function tryPoint(scenario: Scenario, at: number, wanted: View): Promise<readonly string[]> {
  return await withMachine(async (machine) => {
    await scenario.prepare(machine);
    const kill: KillSwitch = killSwitch(at, () => tear(machine, kill.points.at(-1) ?? ''));
    await scenario.ended(machine, kill);
    const point = `point ${at}, ${kill.points.at(-1)}`;
    // Background downloads make the number of points differ a little from run to run.
    if (!kill.dead) return [];
    const { problem } = await scenario.next(machine);
    const wrong = problem === undefined ? [] : [`the next run failed: ${problem}`];
    wrong.push(...secretsIn(machine), ...differences(viewOf(machine, scenario.wanted), wanted));
    if (wrong.length === 0 && scenario.wanted === 'node') {
      const again = await machine.bootstrap();
      if (again.changed) wrong.push('a third run still found something to do');
    }
    return wrong.map((line) => `${point}: ${line}`);
  });
}

// ---------------------------------------------------------------------------------------------------

async function withMachine<T>(act: (machine: FolderMachine) => Promise<T>): Promise<T> {
  const machine = createFolderMachine();
  try {
    return await act(machine);
  } finally {
    machine.dispose();
  }
}

/** An end in the middle of writing a line of the journal leaves the beginning of it. */
function tear(machine: FolderMachine, point: string): void {
  if (point !== `append ${JOURNAL_PATH} (before)`) return;
  try {
    appendFileSync(machine.root + JOURNAL_PATH, '0badcafe {"kind":"path","step":"kube');
  } catch {
    // Not even its folder was there yet.
  }
}

function viewOf(machine: FolderMachine, wanted: Scenario['wanted']): View {
  const { machines, bindings, nodes, assignments } = machine.azure;
  return {
    tree: machine.tree(wanted === 'node' ? OWN_STATE : []),
    services: [...machine.systemd.active].sort(),
    azure: [...machines, ...bindings.keys(), ...nodes, ...assignments.keys()].sort(),
  };
}

/** A run that died while the agent was connecting had its token in a file. */
function secretsIn(machine: FolderMachine): string[] {
  return filesOf(machine.root)
    .filter(({ content }) => content.includes(OPERATOR_TOKEN))
    .map(({ path }) => `the operator's token is still in ${path}`);
}

function differences(found: View, wanted: View): string[] {
  return (['tree', 'services', 'azure'] as const).flatMap((part) => [
    ...wanted[part].filter((line) => !found[part].includes(line)).map((line) => `missing: ${line}`),
    ...found[part].filter((line) => !wanted[part].includes(line)).map((line) => `too much: ${line}`),
  ]);
}

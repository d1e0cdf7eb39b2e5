/**
 * Installs the Arc agent from a verified package, if it is missing and the config allows it. Undo removes it only if
 * bootstrap installed it.
 */
import { agentVersion } from '../azure/azcmagent.ts';
import { FlexError } from '../flex-error.ts';
import type { CommandResult } from '../host/host.ts';
import type { Leftover, StepContext } from '../step.ts';

/** The version we installed; its presence is what makes the package ours. */
export const INSTALLED_BY_US = 'arc.installedByUs';

/** Where the agent keeps what no package manager knows of. */
const AGENT_FOLDERS = ['/var/opt/azcmagent', '/opt/azcmagent', '/etc/opt/azcmagent', '/var/lib/GuestConfig'];

/** Nothing has to be installed. */
export async function isAgentThere(context: StepContext): Promise<boolean> {
  return (await agentVersion(context.host)) !== undefined && (await isSettled(context));
}

export async function ensureAgent(context: StepContext): Promise<void> {
  const { config, facts, host } = context;
  const { agentVersion: wanted, install } = config.azure.arc;
  const found = await agentVersion(host);
  if (found !== undefined && (await isSettled(context))) {
    context.say('the Arc agent is installed', { version: found });
    return;
  }
  if (found === undefined && !install) throw missing();
  const file = await context.artifacts.obtain(
    { kind: 'azcmagent', version: wanted, architecture: context.architecture },
    host,
  );
  for (const folder of AGENT_FOLDERS) await host.claim(folder);
  await facts.set(INSTALLED_BY_US, wanted);
  context.say('installing the Arc agent', { version: wanted });
  await dpkg(context, ['--install', file.path]);
  if (!context.dryRun && (await agentVersion(host)) === undefined) {
    throw failed('the package was installed, but azcmagent was not found', '');
  }
}

export async function removeAgent(context: StepContext): Promise<readonly Leftover[]> {
  const { facts } = context;
  if (facts.get(INSTALLED_BY_US) === undefined) return [];
  try {
    if ((await packageState(context)) !== '') await dpkg(context, ['--purge', 'azcmagent']);
    await facts.delete(INSTALLED_BY_US);
    return [];
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    return [
      {
        what: 'package azcmagent',
        why: error.facts.message,
        finish: ['sudo dpkg --purge azcmagent'],
      },
    ];
  }
}

// ---------------------------------------------------------------------------------------------------

/** The first minutes of a new machine belong to unattended upgrades. */
const LOCK_WAIT_MS = 5_000;
const LOCK_TRIES = 60;

async function dpkg(context: StepContext, args: readonly string[]): Promise<void> {
  const { world, host, signal } = context;
  for (let tried = 1; ; tried++) {
    const answer = await host.run({
      argv: ['dpkg', ...args],
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      changes: true,
      timeoutMs: 10 * 60_000,
    });
    if (answer.exitCode === 0) return;
    if (!isLocked(answer) || tried === LOCK_TRIES) {
      throw failed(`dpkg ${args[0]} exited with code ${answer.exitCode}`, answer.stderr);
    }
    if (tried === 1) context.say('waiting for another process that installs packages');
    await world.clock.sleep(LOCK_WAIT_MS, signal);
  }
}

function isLocked(answer: CommandResult): boolean {
  return answer.exitCode === 2 && /lock/i.test(answer.stderr);
}

/** Installed by us and complete: a kill during dpkg leaves a program that runs and a broken package. */
async function isSettled(context: StepContext): Promise<boolean> {
  const ours = context.facts.get(INSTALLED_BY_US);
  return (
    ours === undefined || (ours === context.config.azure.arc.agentVersion && (await isPackageWhole(context)))
  );
}

async function isPackageWhole(context: StepContext): Promise<boolean> {
  return (await packageState(context)) === 'installed';
}

/** `installed`, `half-configured`, …; empty when dpkg does not know it. */
async function packageState({ host }: StepContext): Promise<string> {
  const argv = ['dpkg-query', '--show', `--showformat=\${db:Status-Status}`, 'azcmagent'] as const;
  const answer = await host.run({ argv, changes: false, timeoutMs: 30_000 });
  // 1: dpkg does not know the package. Anything else is no answer.
  if (answer.exitCode > 1) throw failed(`dpkg-query exited with code ${answer.exitCode}`, answer.stderr);
  const state = answer.exitCode === 0 ? answer.stdout.trim() : '';
  return state === 'not-installed' ? '' : state;
}

function missing(): FlexError {
  return new FlexError({
    class: 'step',
    code: 'arc.agent-missing',
    message: 'azcmagent is not installed and azure.arc.install is false',
    remedy: 'Install the Azure Connected Machine agent, or set azure.arc.install to true.',
    where: 'azure.arc.install',
  });
}

function failed(message: string, said: string): FlexError {
  const line = said.split('\n').find((each) => each.trim() !== '');
  return new FlexError({
    class: 'step',
    code: 'arc.agent-package',
    message: line === undefined ? message : `${message}: ${line.trim().slice(0, 300)}`,
    remedy: 'Run dpkg --audit and apt-get --fix-broken install, then run bootstrap again.',
  });
}

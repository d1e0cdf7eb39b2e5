/** `flexnode upgrade`: changes the version of kubelet, containerd or runc, and rolls back on failure. */
import type { UpgradeResult } from '../../flexnode/index.ts';
import { defineVerb, UsageError } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS, EVENT_OUTPUT } from './options.ts';

const version = (flag: string, what: string) =>
  ({
    flag,
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'VERSION',
    doc: `Version of ${what}; defaults to the version in the config`,
  }) as const;

export const upgrade = defineVerb({
  name: 'upgrade',
  summary: 'Change the version of kubelet, containerd or runc, with rollback on failure',
  description:
    'Downloads and verifies the new programs, saves the old ones, replaces them, restarts the services and waits until the\n' +
    'Node is Ready with the new version. If the Node does not become Ready, the old programs are restored and the exit\n' +
    'code is 7. Without a version flag, the versions in the config apply. Requires root. The pods on the node are not\n' +
    'drained: drain the node first if the restart must not affect them.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode upgrade --kubernetes 1.33.2', does: 'Upgrade kubelet' },
    { command: 'sudo chandler flexnode upgrade', does: 'Upgrade to the versions in the config' },
  ],
  whenOutputCloses: () => 'finish',
  options: {
    ...COMMON_OPTIONS,
    output: EVENT_OUTPUT,
    kubernetes: version('kubernetes', 'kubelet, kubectl and kubeadm'),
    containerd: version('containerd', 'containerd'),
    runc: version('runc', 'runc'),
    allowDowngrade: {
      flag: 'allow-downgrade',
      type: 'boolean',
      default: false,
      doc: 'Allow an older version',
    },
  },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const target = {
      ...targetVersion('kubernetes', options.kubernetes.value),
      ...targetVersion('containerd', options.containerd.value),
      ...targetVersion('runc', options.runc.value),
      allowDowngrade: options.allowDowngrade.value,
    };
    const json = options.output.value === 'json';
    return guarded(call, 'upgrade', async () => {
      const [{ mustBeRoot, openAgent }, { redact, redactedJson, runUpgrade }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
      ]);
      mustBeRoot(call, 'upgrade');
      const agent = await openAgent(call, target);
      return agent.session('upgrade', async (on) => {
        const say = (message: string) => {
          if (!json) terminal.err(`${redact(message)}\n`);
        };
        const result = await runUpgrade(agent.parts, target, { signal, on, say });
        if (json) terminal.out(`${redactedJson({ type: 'upgrade-completed', ...shown(result) })}\n`);
        else terminal.err(redact(upgradeText(result)));
        const success = result.outcome === 'upgraded' || result.outcome === 'nothing-to-do';
        return { success, ...(result.error === undefined ? {} : { error: result.error }) };
      });
    });
  },
});

// ---------------------------------------------------------------------------------------------------

const OUTCOMES: Readonly<Record<UpgradeResult['outcome'], string>> = {
  upgraded: 'completed',
  'nothing-to-do': 'these versions are already running',
  refused: 'rejected; nothing was changed',
  'rolled-back': 'failed and rolled back; the old versions are running',
  stuck: 'failed, and the rollback failed, too',
};

function upgradeText({ outcome, from, to, notes }: UpgradeResult): string {
  const changes = (['kubernetes', 'containerd', 'runc'] as const)
    .filter((name) => from[name] !== to[name])
    .map((name) => `  ${name} ${from[name] === '' ? '(none)' : from[name]} → ${to[name]}`);
  return `${[`upgrade: ${OUTCOMES[outcome]}`, ...changes, ...notes.map((note) => `  ${note}`)].join('\n')}\n`;
}

function shown({ error, ...rest }: UpgradeResult): object {
  if (error === undefined) return rest;
  const { cause: _cause, ...facts } = error;
  return { ...rest, error: facts };
}

function targetVersion(name: 'kubernetes' | 'containerd' | 'runc', text: string | undefined) {
  if (text === undefined) return {};
  const bare = text.replace(/^v/, '');
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(bare))
    throw new UsageError([
      { where: `--${name}`, message: `must be a version such as 1.33.2, not "${text}"` },
    ]);
  return { [name]: bare };
}

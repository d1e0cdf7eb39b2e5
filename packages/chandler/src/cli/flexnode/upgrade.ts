/** `flexnode upgrade`: another version of kubelet, containerd or runc, with a way back. */
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
    doc: `The version of ${what}; that of the config unless given`,
  }) as const;

export const upgrade = defineVerb({
  name: 'upgrade',
  summary: 'Change the version of kubelet, containerd or runc, with a way back',
  description:
    'Fetches and verifies everything first, keeps the old programs, switches, starts the services and waits until the Node\n' +
    'is Ready with the new version. If that does not come, the old programs are put back and started, and the exit code\n' +
    'is 7. Without a version the config decides. Needs root. Drain the node first if its pods must not be disturbed.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode upgrade --kubernetes 1.33.2', does: 'a newer kubelet' },
    { command: 'sudo chandler flexnode upgrade', does: 'to the versions in the config' },
  ],
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
      doc: 'An older version too',
    },
  },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const wish = {
      ...wished('kubernetes', options.kubernetes.value),
      ...wished('containerd', options.containerd.value),
      ...wished('runc', options.runc.value),
      allowDowngrade: options.allowDowngrade.value,
    };
    const json = options.output.value === 'json';
    return guarded(call, 'upgrade', async () => {
      const [{ mustBeRoot, openAgent }, { runUpgrade }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
      ]);
      mustBeRoot(call, 'upgrade');
      const agent = await openAgent(call);
      return agent.session('upgrade', async (on) => {
        const say = (message: string) => {
          if (!json) terminal.err(`${message}\n`);
        };
        const result = await runUpgrade(agent.parts, wish, { signal, on, say });
        if (json) terminal.out(`${JSON.stringify({ type: 'upgrade-completed', ...shown(result) })}\n`);
        else terminal.err(upgradeText(result));
        const success = result.outcome === 'upgraded' || result.outcome === 'nothing-to-do';
        return { success, ...(result.error === undefined ? {} : { error: result.error }) };
      });
    });
  },
});

// ---------------------------------------------------------------------------------------------------

const OUTCOMES: Readonly<Record<UpgradeResult['outcome'], string>> = {
  upgraded: 'upgraded',
  'nothing-to-do': 'these versions run already',
  refused: 'refused; nothing was touched',
  'rolled-back': 'it did not work; the old versions run again',
  stuck: 'it did not work, and the old versions could not be brought back',
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

function wished(name: 'kubernetes' | 'containerd' | 'runc', text: string | undefined) {
  if (text === undefined) return {};
  const bare = text.replace(/^v/, '');
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(bare))
    throw new UsageError([{ where: `--${name}`, message: `wants a version such as 1.33.2, got "${text}"` }]);
  return { [name]: bare };
}

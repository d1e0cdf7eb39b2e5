/**
 * The Arc agent's program: one behaviour, two doors. In process it answers the commands of a host; for real processes
 * there is a small bash script that hands its arguments and its config file to a control server. `connect` makes the
 * machine in the ARM stand-in.
 */
import type { ArmStandin, StandinMachine } from './arm.ts';
import type { Handler } from './serve.ts';
import type { FakeTokenIssuer } from './token-issuer.ts';

export interface AgentOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentCall {
  readonly argv: readonly string[];
  /** Of `--config`: what was in it and its permission bits. */
  readonly config?: string;
  readonly configMode?: number | undefined;
}

export interface AgentFault {
  readonly command: 'connect' | 'disconnect' | 'show';
  readonly code: string;
  times: number;
  /** The machine is made in Azure all the same. */
  readonly incomplete?: boolean;
}

export class AzcmagentStandin {
  installed = true;
  version = '1.59.03320.759';
  /** The machine that it is registered as. */
  connected: { subscriptionId: string; resourceGroup: string; resourceName: string } | undefined;
  /** It is registered, but does not reach Azure: `show` says Disconnected, with the names. */
  offline = false;
  proxy = '';
  /** A proxy that no longer works: with it, the agent does not reach Azure. */
  deadProxy = '';
  /** With a working proxy again, `show` says Disconnected this often: until the next heartbeat. */
  showsUntilHeartbeat = 0;
  /** GETs of a new machine that see no identity yet. */
  identityAfter = 0;
  readonly calls: AgentCall[] = [];
  readonly faults: AgentFault[] = [];
  #showsLeft = 0;
  readonly #arm: ArmStandin;
  readonly #tokens: FakeTokenIssuer;

  constructor(arm: ArmStandin, tokens: FakeTokenIssuer) {
    this.#arm = arm;
    this.#tokens = tokens;
  }

  fail(fault: Omit<AgentFault, 'times'> & { readonly times?: number }): void {
    this.faults.push({ times: 1, ...fault });
  }

  answer(call: AgentCall): AgentOutput {
    this.calls.push(call);
    if (!this.installed) return { exitCode: 127, stdout: '', stderr: 'azcmagent: command not found' };
    const [command, ...rest] = call.argv;
    const fault = this.faults.find((each) => each.command === command && each.times > 0);
    if (fault !== undefined) {
      fault.times--;
      if (fault.incomplete === true) this.#register(call).status = 'Disconnected';
      return said(1, '', `ERROR   ${fault.code}: injected fault`);
    }
    switch (command) {
      case 'version':
        return said(0, `azcmagent version ${this.version}\n`);
      case 'show':
        return said(0, `${JSON.stringify(this.#shown())}\n`);
      case 'connect':
        return this.#connect(call);
      case 'disconnect':
        this.connected = undefined;
        return said(0, 'Disconnected\n');
      case 'config':
        return this.#setting(rest);
      default:
        return said(1, '', `unknown command ${command}`);
    }
  }

  #shown() {
    const isOffline = this.offline || this.#isProxyDead() || this.#showsLeft-- > 0;
    const base = {
      agentVersion: this.version,
      status: this.connected === undefined || isOffline ? 'Disconnected' : 'Connected',
    };
    return this.connected === undefined
      ? base
      : { ...base, ...this.connected, resourceNamespace: 'Microsoft.HybridCompute' };
  }

  #connect(call: AgentCall): AgentOutput {
    if (this.connected !== undefined) return said(1, '', 'AZCM0067: the machine is already connected');
    const config = readConfig(call);
    const token = config['access-token'] ?? '';
    if (this.#tokens.holder(token, 'https://management.azure.com') === undefined) {
      return said(1, '', 'AZCM0012: the access token is invalid');
    }
    const id = machineId(config);
    if (this.#arm.machines.has(id.toLowerCase())) return said(1, '', 'AZCM0044: resource already exists');
    this.#register(call);
    this.connected = {
      subscriptionId: config['subscription-id'] ?? '',
      resourceGroup: config['resource-group'] ?? '',
      resourceName: config['resource-name'] ?? '',
    };
    return said(0, 'Connected machine to Azure\n');
  }

  #register(call: AgentCall): StandinMachine {
    const config = readConfig(call);
    const { location = '', tags = '' } = config;
    return this.#arm.register(machineId(config), location, tags, this.identityAfter);
  }

  #isProxyDead(): boolean {
    return this.proxy !== '' && this.proxy === this.deadProxy;
  }

  #setting([verb, name, value]: readonly string[]): AgentOutput {
    if (name !== 'proxy.url') return said(1, '', `unknown property ${name}`);
    if (verb !== 'get' && this.#isProxyDead()) this.#showsLeft = this.showsUntilHeartbeat;
    if (verb === 'set') this.proxy = value ?? '';
    if (verb === 'clear') this.proxy = '';
    return said(0, verb === 'get' ? `${this.proxy}\n` : '');
  }

  /** For the script: argv, mode and content in base64, one a line; answers exit code, stdout and stderr alike. */
  readonly control: Handler = async (request) => {
    const [argv = '', mode = '', config = ''] = (await request.text()).split('\n');
    const words = argv.split(' ').filter(Boolean).map(fromBase64);
    const answer = this.answer({
      argv: words,
      ...(config === '' ? {} : { config: fromBase64(config), configMode: Number.parseInt(mode, 8) }),
    });
    return new Response(`${answer.exitCode}\n${toBase64(answer.stdout)}\n${toBase64(answer.stderr)}\n`);
  };
}

/** Needs bash, base64, stat and nothing else; no token passes through an argument or the environment. */
export function azcmagentScript(control: { readonly host: string; readonly port: number }): string {
  return `#!/bin/bash
argv=""; mode=""; config=""; previous=""
for word in "$@"; do
  argv="$argv $(printf %s "$word" | base64 -w0)"
  if [ "$previous" = --config ]; then mode=$(stat -c %a "$word"); config=$(base64 -w0 < "$word"); fi
  previous=$word
done
body="$argv
$mode
$config"
exec 3<>/dev/tcp/${control.host}/${control.port} || { echo "AZCM0026: no control server" >&2; exit 1; }
printf 'POST /azcmagent HTTP/1.1\\r\\nHost: control\\r\\nConnection: close\\r\\nContent-Length: %s\\r\\n\\r\\n%s' "\${#body}" "$body" >&3
while IFS= read -r line <&3; do [ "$line" = $'\\r' ] && break; done
IFS= read -r code <&3; IFS= read -r out <&3; IFS= read -r err <&3
printf %s "$out" | base64 -d; printf %s "$err" | base64 -d >&2
exit "$code"
`;
}

// ---------------------------------------------------------------------------------------------------

function said(exitCode: number, stdout: string, stderr = ''): AgentOutput {
  return { exitCode, stdout, stderr };
}

function readConfig(call: AgentCall): Record<string, string> {
  try {
    return JSON.parse(call.config ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

function machineId(config: Record<string, string>): string {
  return `/subscriptions/${config['subscription-id']}/resourceGroups/${config['resource-group']}/providers/Microsoft.HybridCompute/machines/${config['resource-name']}`;
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

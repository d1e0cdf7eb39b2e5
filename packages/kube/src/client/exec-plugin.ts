/**
 * A credential plugin of a kubeconfig: a program that prints a credential. It is run one at a time, not too often, and
 * killed when it hangs, because every request waits for it. The protocol is
 * client.authentication.k8s.io; the library that reads the rest of a kubeconfig would wait forever.
 */
import { execFile } from 'node:child_process';
import { redactText } from '../observability/redact.ts';
import type { Clock } from '../world.ts';

export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
  readonly installHint?: string;
}

/** `spec.cluster` of an ExecCredential. */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Base64 of PEM. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  /** Of the extension `client.authentication.k8s.io/exec`. */
  readonly config?: unknown;
}

export interface ExecPluginOptions {
  /** Passed to the plugin when its entry requests it; read before each run, because a CA may be rotated. */
  readonly cluster: () => Promise<ExecCluster>;
  /** The environment of the process, PATH above all. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** What it writes to its standard error appears here, so that it can ask the user to log in. Default: nowhere. */
  readonly terminal?: Terminal | undefined;
  /** Then it is ended. Default 30 s; with a terminal 15 minutes. */
  readonly timeoutMs?: number;
}

export interface Terminal {
  write(text: string): unknown;
}

export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

export class ExecPlugin {
  readonly #exec: ExecEntry;
  readonly #options: ExecPluginOptions;
  #last: Run | undefined;

  constructor(exec: ExecEntry, options: ExecPluginOptions) {
    this.#exec = exec;
    this.#options = options;
  }

  /** The last credential while it is valid; `fresh` after a server rejected it. */
  async credential({ fresh }: { fresh: boolean }): Promise<ExecCredential> {
    const { clock } = this.#options;
    const last = this.#last;
    const ageMs = last ? clock.monotonic() - last.startMs : 0;
    if (last && (last.state === 'running' || ageMs < MIN_PAUSE_MS)) return last.credential;
    const expired = last !== undefined && clock.now() >= last.expiresMs - EXPIRY_MARGIN_MS;
    const refused = fresh && ageMs >= MIN_FRESH_PAUSE_MS;
    if (last?.state === 'good' && !expired && !refused) return last.credential;
    return this.#start().credential;
  }

  #start(): Run {
    const answer = this.#run();
    const run: Run = {
      startMs: this.#options.clock.monotonic(),
      expiresMs: Number.POSITIVE_INFINITY,
      state: 'running',
      credential: answer.then(({ credential }) => credential),
    };
    answer.then(
      ({ expiresMs }) => Object.assign(run, { state: 'good', expiresMs }),
      () => Object.assign(run, { state: 'failed' }),
    );
    this.#last = run;
    return run;
  }

  async #run(): Promise<{ credential: ExecCredential; expiresMs: number }> {
    const { status } = parse(await this.#output(JSON.stringify(await this.#info())));
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {};
    if (!token && !(cert && key)) throw new Error('its answer has neither token nor certificate with key');
    const expiresMs = Date.parse(expirationTimestamp ?? '');
    return {
      credential: { ...(token ? { token } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) },
      expiresMs: Number.isNaN(expiresMs) ? Number.POSITIVE_INFINITY : expiresMs,
    };
  }

  #output(info: string): Promise<string> {
    const { command, args, env, installHint } = this.#exec;
    const { terminal, env: outside } = this.#options;
    const { timeoutMs = terminal === undefined ? TIMEOUT_MS : LOGIN_TIMEOUT_MS } = this.#options;
    const added = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    const options = {
      env: { ...outside, ...added, KUBERNETES_EXEC_INFO: info },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    } as const;
    return new Promise((resolve, reject) => {
      const child = execFile(command, [...(args ?? [])], options, (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else if (error.killed)
          reject(new Error(`it did not answer within ${timeoutMs / 1000} s${lastWords(stderr)}`));
        else if (error.code === 'ENOENT')
          reject(new Error(`the program was not found${installHint ? `. ${installHint}` : ''}`));
        else {
          const text = redactText(stderr.replace(CONTROL, ' ').trim()).slice(0, MAX_MESSAGE);
          reject(new Error(text || `it ended with code ${error.code ?? 'unknown'}`));
        }
      });
      if (terminal !== undefined) child.stderr?.on('data', (text) => terminal.write(String(text)));
      // The plugin cannot read what the user types.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end();
    });
  }

  async #info(): Promise<object> {
    const { apiVersion = 'client.authentication.k8s.io/v1', provideClusterInfo } = this.#exec;
    const cluster = provideClusterInfo ? await this.#options.cluster() : undefined;
    const spec = { interactive: false, ...(cluster === undefined ? {} : { cluster }) };
    return { apiVersion, kind: 'ExecCredential', spec };
  }
}

// ------------------------------------------------------------------------------------------------

const TIMEOUT_MS = 30_000;
/** As long as the code of a device login is valid. */
const LOGIN_TIMEOUT_MS = 15 * 60_000;
const MAX_LAST_WORDS = 300;

/** The last line that it wrote: often a request to log in. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(CONTROL, ' ').trim());
  const last = lines.filter((line) => line !== '').at(-1);
  return last === undefined ? '' : `; it wrote: ${redactText(last).slice(0, MAX_LAST_WORDS)}`;
}

/** Of a plugin that failed. */
const MAX_MESSAGE = 1_000;

/** Escape sequences of terminals, and other control characters. */
const CONTROL = /\p{Cc}(?:\[[0-9;?]*[A-Za-z])?/gu;

interface Run {
  readonly startMs: number;
  readonly credential: Promise<ExecCredential>;
  /** On the wall clock: the plugin wrote it. */
  expiresMs: number;
  state: 'running' | 'good' | 'failed';
}

interface Answer {
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** A plugin that fails, or whose answers are expired from the start, is not run for every request. */
const MIN_PAUSE_MS = 1000;

/** The server rejects the credential: a new run may help, one for every rejection will not. */
const MIN_FRESH_PAUSE_MS = 10_000;

const EXPIRY_MARGIN_MS = 5000;

/** The answer itself is never part of a message: it is a secret. */
function parse(text: string): Answer {
  try {
    const answer = JSON.parse(text) as unknown;
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // Reported below.
  }
  throw new Error('its answer is not an ExecCredential');
}

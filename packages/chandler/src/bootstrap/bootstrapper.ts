/**
 * The result of every bootstrapper: the custom data of a new VM, and the source of every value in it.
 * Who renders it (this process, or a server of AKS) is decided by the provision mode; what is done with the
 * result, by the launch template.
 */
import { MASK, type Source } from '../settings/index.ts';
import type { NodeBootstrapInput } from './input.ts';

/** How nodes get their configuration. The machine modes of AKS need neither and are not supported. */
export const BOOTSTRAP_MODES = ['aksscriptless', 'bootstrappingclient'] as const;
export type BootstrapMode = (typeof BOOTSTRAP_MODES)[number];

export interface Bootstrapper {
  readonly mode: BootstrapMode;
  /** @throws {BootstrapError} when the input cannot become a script, or the server gives none. */
  script(input: NodeBootstrapInput): Promise<Rendered>;
}

export interface Rendered {
  /** Base64, as `osProfile.customData` wants it. */
  readonly customData: string;
  /** The same as text. */
  readonly script: string;
  /** Size of the text in bytes. */
  readonly bytes: number;
  /** Each variable of the script, in the order of the script; none where a server made it. */
  readonly variables: readonly RenderedVariable[];
  /** For the custom script extension; only a server gives one. A secret: it may hold the bootstrap token. */
  readonly cseCommand?: string;
}

export interface RenderedVariable {
  readonly name: string;
  readonly group: string;
  readonly value: string;
  readonly source: Source;
  /** The flag, variable or field path that held it or could hold it, or what it was worked out from. */
  readonly path: string;
  readonly default: string;
  readonly secret?: true;
}

export type BootstrapErrorCode =
  /** The Kubernetes version is not of the form major.minor.patch. */
  | 'malformedVersion'
  /** The resource id of the subnet has not the shape of one. */
  | 'malformedSubnetId'
  /** The Azure cloud is none for which images and mirrors are known. */
  | 'unknownCloud'
  /** A field of the node class has a value that cannot be passed on. */
  | 'invalidValue'
  /** A field of the node class has no effect in this provision mode. */
  | 'unsupportedInMode'
  /** Azure takes no custom data of this size. */
  | 'customDataTooLarge'
  /** Text that no shell variable can hold. */
  | 'unprintable'
  /** Azure gives the controller no token for the bootstrapping server. */
  | 'noToken'
  /** The bootstrapping server: no connection, no answer in time, a refusal, too many calls, a failure of its own, nonsense. */
  | 'serverUnreachable'
  | 'serverTimeout'
  | 'serverRefused'
  | 'serverThrottled'
  | 'serverFailed'
  | 'serverRejected'
  | 'serverAnswer';

export interface BootstrapErrorOptions {
  /** The field or option at fault. */
  readonly path?: string;
  /** Whether the same call may succeed later. Default false. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The message is for people and may become a condition: it never holds a secret. */
export class BootstrapError extends Error {
  override readonly name = 'BootstrapError';
  readonly code: BootstrapErrorCode;
  readonly path: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: BootstrapErrorCode, message: string, options: BootstrapErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.path = options.path;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The variables as they may be shown to anyone. */
export function maskSecrets(variables: readonly RenderedVariable[]): readonly RenderedVariable[] {
  return variables.map((variable) =>
    variable.secret && variable.value !== '' ? { ...variable, value: MASK } : variable,
  );
}

/**
 * The exec plugin of kubelet: reads KUBERNETES_EXEC_INFO and prints an ExecCredential of the same version to stdout. Errors
 * go to stderr with a non-zero exit code. It imports no SDK, because kubelet waits for it.
 */
import type { World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import { realChallengeFiles } from './challenge-file.ts';
import { type HimdsRequest, himdsEndpointOf, himdsToken, type NodeToken } from './himds.ts';

export interface ExecCredentialRequest extends Partial<HimdsRequest> {
  /** Of the process: KUBERNETES_EXEC_INFO, IDENTITY_ENDPOINT, IMDS_ENDPOINT. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ExecCredentialOutcome {
  readonly exitCode: number;
  /** Empty, or one JSON document. Holds the token: for stdout and nowhere else. */
  readonly stdout: string;
  readonly stderr: string;
}

/** The expiry is reported this much earlier, so that kubelet renews the token before it expires. */
export const EARLIER_MS = 60_000;

export async function execCredential(
  world: Pick<World, 'clock' | 'random'>,
  request: ExecCredentialRequest,
): Promise<ExecCredentialOutcome> {
  try {
    const apiVersion = wantedVersion(request.env['KUBERNETES_EXEC_INFO']);
    const endpoint = request.endpoint ?? himdsEndpointOf(request.env);
    const token = await himdsToken(world, {
      ...request,
      files: request.files ?? realChallengeFiles(),
      ...(endpoint === undefined ? {} : { endpoint }),
    });
    return {
      exitCode: 0,
      stdout: `${JSON.stringify(answer(apiVersion, token, world.clock.now()))}\n`,
      stderr: token.warnings.map((warning) => `chandler-flexnode token: ${warning}\n`).join(''),
    };
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: `chandler-flexnode token: ${told(error)}\n` };
  }
}

// ---------------------------------------------------------------------------------------------------

const VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

/** The variable is missing if the command is run manually: then the version of the document's kubeconfig is used. */
function wantedVersion(info: string | undefined): string {
  if (info === undefined || info === '') return 'client.authentication.k8s.io/v1beta1';
  const parsed = parse(info);
  const version = parsed?.['apiVersion'];
  if (parsed?.['kind'] === 'ExecCredential' && typeof version === 'string' && VERSIONS.includes(version)) {
    return version;
  }
  throw new FlexError({
    class: 'usage',
    code: 'token.exec-info',
    message: `KUBERNETES_EXEC_INFO must request an ExecCredential of ${VERSIONS.join(' or ')}`,
  });
}

function answer(apiVersion: string, token: NodeToken, nowMs: number): unknown {
  const leftMs = token.expiresOnMs - nowMs;
  // For a short-lived token a tenth of its lifetime, or it would be reported as expired.
  const reportedMs = token.expiresOnMs - Math.min(EARLIER_MS, leftMs / 10);
  return {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false },
    status: {
      expirationTimestamp: `${new Date(reportedMs).toISOString().slice(0, 19)}Z`,
      token: token.token,
    },
  };
}

function told(error: unknown): string {
  if (!(error instanceof FlexError)) return error instanceof Error ? error.message : String(error);
  const { message, remedy } = error.facts;
  return remedy === undefined ? message : `${message} (${remedy})`;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

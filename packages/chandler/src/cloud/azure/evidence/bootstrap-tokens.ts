/**
 * The bootstrap token with which new nodes join: whether its Secret exists and is valid. Secrets are only read while a VM
 * has not joined; of the token only the ID is kept.
 */
import { SECRETS } from '@chandler/kube';
import { type EvidenceContext, isFound, listOr, type TokenEvidence } from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../index.ts';

import { parseBootstrapToken, tokenState } from '../cluster/bootstrap-token.ts';

const TOKEN_VARIABLE = 'KUBELET_BOOTSTRAP_TOKEN';
const TOKEN_TYPE = 'bootstrap.kubernetes.io/token';

export async function readToken(
  context: EvidenceContext,
  controller: ControllerDeployment | undefined,
): Promise<void> {
  // A dump has no Secrets, only what its maker saw of them.
  if (context.reader.from === 'dump') return;
  const token = controller === undefined ? undefined : await configuredToken(context, controller);
  if (token === undefined) {
    await readAnyToken(context);
    return;
  }
  const parsed = parseBootstrapToken(token);
  if (parsed === undefined) {
    add(context, '', 'malformed', undefined);
    return;
  }
  const looked = await context.reader.get(SECRETS, {
    namespace: 'kube-system',
    name: `bootstrap-token-${parsed.id}`,
  });
  if (!isFound(looked) && looked.why !== 'notFound') {
    context.recorder.addUnread('token', `Secret kube-system/bootstrap-token-${parsed.id}`, looked);
    return;
  }
  const state = tokenState(parsed, isFound(looked) ? looked.found : undefined, context.recorder.atMs);
  const untilMs =
    state.state === 'valid' ? state.expiresAtMs : state.state === 'expired' ? state.expiredAtMs : undefined;
  if (state.state !== 'unknown') add(context, parsed.id, state.state, untilMs);
}

// ---------------------------------------------------------------------------------------------------

/** As text in the Deployment, or in the Secret that it names. */
async function configuredToken(
  context: EvidenceContext,
  { env, namespace }: ControllerDeployment,
): Promise<string | undefined> {
  const variable = env.find(({ name }) => name === TOKEN_VARIABLE);
  if (variable?.value !== undefined && variable.value !== '') return variable.value;
  const reference = variable?.valueFrom?.secretKeyRef;
  if (reference?.name === undefined || reference.key === undefined) return undefined;
  const looked = await context.reader.get(SECRETS, { namespace, name: reference.name });
  if (!isFound(looked)) {
    context.recorder.addUnread('token', `Secret ${namespace}/${reference.name}`, looked);
    return undefined;
  }
  const data = looked.found['data'] as Readonly<Record<string, string>> | undefined;
  const encoded = data?.[reference.key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').trim();
}

/** Which one is used is not known: only when none is good, something can be said. */
async function readAnyToken(context: EvidenceContext): Promise<void> {
  const { reader, recorder } = context;
  const looked = await reader.list(SECRETS, { namespace: 'kube-system', fields: { type: TOKEN_TYPE } });
  const secrets = listOr(looked, (unseen) =>
    recorder.addUnread('token', 'bootstrap tokens in kube-system', unseen),
  );
  const states = secrets.map((secret) => {
    const id = secret.metadata.name.replace(/^bootstrap-token-/, '');
    const own = secretOf(secret as { data?: Readonly<Record<string, string>> });
    return { id, state: tokenState({ id, secret: own }, secret, recorder.atMs) };
  });
  if (states.length === 0 || states.some(({ state }) => state.state === 'valid')) return;
  const last = states.find(({ state }) => state.state === 'expired') ?? states[0]!;
  if (last.state.state === 'expired') add(context, last.id, 'expired', last.state.expiredAtMs);
  else if (last.state.state === 'unusable') add(context, last.id, 'unusable', undefined);
}

function secretOf({ data }: { readonly data?: Readonly<Record<string, string>> }): string {
  return Buffer.from(data?.['token-secret'] ?? '', 'base64').toString('utf8');
}

function add(
  { recorder }: EvidenceContext,
  id: string,
  state: TokenEvidence['state'],
  expiresAtMs: number | undefined,
): void {
  const reading = recorder.reading(`bootstrap token ${id}`);
  recorder.add({ kind: 'token', reading, state, id, expiresAtMs });
}

/**
 * Bootstrap tokens: whether the API server would accept a kubelet with one. They are Secrets in kube-system, as on any
 * cluster; one of them belongs to the playground.
 */
import {
  type Clock,
  ignoreApiErrors,
  type KubeClient,
  type Random,
  SECRETS,
  type Secret,
} from '@chandler/kube';

const NAMESPACE = 'kube-system';
const PLAYGROUND_ID = 'play00';

/** True when the token can be used for authentication now. */
export async function isGoodToken(client: KubeClient, clock: Clock, token: string): Promise<boolean> {
  const match = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token);
  if (match === null) return false;
  const [, id, secret] = match;
  const found = await client.find(SECRETS, { namespace: NAMESPACE, name: `bootstrap-token-${id}` });
  if (found?.type !== 'bootstrap.kubernetes.io/token') return false;
  const value = (key: string) => Buffer.from(found.data?.[key] ?? '', 'base64').toString();
  if (value('token-id') !== id || value('token-secret') !== secret) return false;
  if (value('usage-bootstrap-authentication') !== 'true') return false;
  const expiration = value('expiration');
  return expiration === '' || Date.parse(expiration) > clock.now();
}

/** The token of the playground: the existing one, or a new one. */
export async function ensureToken(client: KubeClient, random: Random): Promise<string> {
  const name = `bootstrap-token-${PLAYGROUND_ID}`;
  const there = await client.find(SECRETS, { namespace: NAMESPACE, name });
  const kept = Buffer.from(there?.data?.['token-secret'] ?? '', 'base64').toString();
  if (kept !== '') return `${PLAYGROUND_ID}.${kept}`;
  const secret = random.uuid().replaceAll('-', '').slice(0, 16);
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name },
    type: 'bootstrap.kubernetes.io/token',
    data: {
      'token-id': encoded(PLAYGROUND_ID),
      'token-secret': encoded(secret),
      'usage-bootstrap-authentication': encoded('true'),
      'usage-bootstrap-signing': encoded('true'),
      'auth-extra-groups': encoded('system:bootstrappers:kubeadm:default-node-token'),
    },
  };
  await ignoreApiErrors(client.create(SECRETS, object), 'alreadyExists');
  return `${PLAYGROUND_ID}.${secret}`;
}

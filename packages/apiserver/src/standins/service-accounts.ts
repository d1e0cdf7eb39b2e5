/** Every namespace gets the `default` ServiceAccount and the certificate by which pods know the API server. */
import {
  CONFIG_MAPS,
  Controller,
  ignoreApiErrors,
  type KubeClient,
  type NamespacedObject,
  type Result,
  SERVICE_ACCOUNTS,
  storeSource,
  type World,
} from '@chandler/kube';
import { isNamespaceTerminating } from './namespace-terminating.ts';
import { isTerminating, namespaceOf } from './object-facts.ts';
import { ROOT_CERTIFICATE, type Watched } from './watched.ts';

export function serviceAccountController(options: {
  world: World;
  watched: Watched;
  client: KubeClient;
  /** Absent: no certificate is distributed. */
  caPem?: string;
}): Controller {
  const { world, watched, client, caPem } = options;
  const keys = ({ object }: { object: NamespacedObject }) => [namespaceOf(object)];
  return new Controller({
    name: 'standin.serviceaccount',
    world,
    sources: [
      storeSource(watched.namespaces),
      storeSource(watched.serviceAccounts, { keys, filter: ({ type }) => type === 'deleted' }),
      storeSource(watched.rootCertificates, { keys }),
    ],
    async reconcile(namespace): Promise<Result> {
      const found = watched.namespaces.store.get({ name: namespace });
      if (!found || isTerminating(found)) return {};
      try {
        await ensureAccount(watched, client, namespace);
        if (caPem !== undefined) await ensureCertificate(watched, client, namespace, caPem);
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
      return {};
    },
  });
}

// ---------------------------------------------------------------------------------------------------

async function ensureAccount(watched: Watched, client: KubeClient, namespace: string): Promise<void> {
  const metadata = { name: 'default', namespace };
  if (watched.serviceAccounts.store.get(metadata)) return;
  await ignoreApiErrors(
    client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }),
    'alreadyExists',
  );
}

async function ensureCertificate(
  watched: Watched,
  client: KubeClient,
  namespace: string,
  caPem: string,
): Promise<void> {
  const metadata = { name: ROOT_CERTIFICATE, namespace };
  const data = { 'ca.crt': caPem };
  const found = watched.rootCertificates.store.get(metadata);
  if ((found?.['data'] as Record<string, string> | undefined)?.['ca.crt'] === caPem) return;
  if (found)
    await ignoreApiErrors(
      client.patch(CONFIG_MAPS, metadata, { type: 'merge', patch: { data } }),
      'notFound',
    );
  else {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    await ignoreApiErrors(client.create(CONFIG_MAPS, map), 'alreadyExists');
  }
}

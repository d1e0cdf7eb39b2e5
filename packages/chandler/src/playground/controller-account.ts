/**
 * As whom a controller of the playground runs: the service account of deploy/, with its permissions only. A controller that is
 * alone runs in kube-system. Two controllers have a namespace each, and with it their own lease, settings and records.
 */
import type { KubeObject } from '@chandler/kube';
import type { PlaygroundCloud } from './clouds/playground-cloud.ts';

export interface ControllerAccount {
  readonly namespace: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  /** Account and permissions. */
  readonly objects: readonly KubeObject[];
}

/** Of the controller of a cloud. @param clouds all of the playground. */
export function namespaceOf(clouds: readonly Named[], { name }: Named): string {
  return clouds.length > 1 ? `${ACCOUNT}-${name}` : ALONE;
}

/** Those that a cluster does not have anyway. */
export function namespaceObjects(clouds: readonly Named[]): readonly KubeObject[] {
  return clouds
    .map((cloud) => namespaceOf(clouds, cloud))
    .filter((name) => name !== ALONE)
    .map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
}

export async function controllerAccount(
  clouds: readonly Named[],
  cloud: PlaygroundCloud,
): Promise<ControllerAccount> {
  const namespace = namespaceOf(clouds, cloud);
  const roles = await cloud.controllerRoles();
  return {
    namespace,
    user: userIn(namespace),
    objects: namespace === ALONE ? roles : roles.map((role) => roleIn(namespace, role)),
  };
}

/** The subject of the role bindings, as an API server knows it. */
export function userIn(namespace: string): ControllerAccount['user'] {
  return {
    username: `system:serviceaccount:${namespace}:${ACCOUNT}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

// ---------------------------------------------------------------------------------------------------

const ACCOUNT = 'chandler';
const ALONE = 'kube-system';

type Named = Pick<PlaygroundCloud, 'name'>;

interface RoleObject extends KubeObject {
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly namespace: string }[];
}

/**
 * What has the name of the account is in the namespace of the controller. The rest says what it may read elsewhere: it stays
 * there, and like everything without a namespace it is named after the controller, so that two do not share it.
 */
function roleIn(namespace: string, object: KubeObject): KubeObject {
  const { metadata, roleRef, subjects, ...rest } = object as RoleObject;
  const isOwn = metadata.name === ACCOUNT && metadata.namespace !== undefined;
  const renamed = (name: string) => (isOwn ? name : name.replace(ACCOUNT, namespace));
  return {
    ...rest,
    metadata: {
      ...metadata,
      name: renamed(metadata.name!),
      ...(isOwn ? { namespace } : {}),
    },
    ...(roleRef === undefined ? {} : { roleRef: { ...roleRef, name: renamed(roleRef.name) } }),
    ...(subjects === undefined ? {} : { subjects: subjects.map((subject) => ({ ...subject, namespace })) }),
  };
}

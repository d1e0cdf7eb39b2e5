/**
 * Asks the embedded API server whether it would accept objects, without a cluster: for commands that read manifests. The
 * server keeps nothing: every object is created as a dry run.
 */
import { isApiError, type KubeObject, parseApiVersion, type ResourceRef, type World } from '@chandler/kube';

export interface Rejection {
  /** `spec.template.spec.containers[0].image`; empty for the object as a whole. */
  readonly field: string;
  readonly message: string;
}

export interface OfflineValidator {
  /** Why the API server would reject the object; empty if it accepts it. */
  rejections(object: KubeObject): Promise<readonly Rejection[]>;
  close(): Promise<void>;
}

export async function offlineValidator(world: World): Promise<OfflineValidator> {
  const [{ ADMIN, startApiServer }, { builtinCrds }, { KubeClient, resources }] = await Promise.all([
    import('@chandler/apiserver'),
    import('../api/kinds/index.ts'),
    import('@chandler/kube'),
  ]);
  const crds = builtinCrds() as unknown as readonly (KubeObject & CrdNames)[];
  const server = await startApiServer({ world, collector: false, managedFields: false });
  const client = new KubeClient({ transport: server.transportAs(ADMIN) });
  const known = new Map(
    [...Object.values(resources).filter(isResource), ...crds.map(refOf)].map((ref) => [
      `${ref.group}/${ref.kind}`,
      ref,
    ]),
  );
  // Created with the first object of their kind: most files use one or two of them, and their rules take long to compile.
  const definitions = new Map(crds.map((crd) => [`${crd.spec.group}/${crd.spec.names.kind}`, crd]));
  const namespaces = new Set(['default', 'kube-system']);
  return {
    async rejections(object) {
      const { group, version } = parseApiVersion(object.apiVersion ?? '');
      const ref = known.get(`${group}/${object.kind}`);
      if (ref === undefined) return [];
      if (ref.version !== version) {
        const served = group === '' ? ref.version : `${group}/${ref.version}`;
        return [
          {
            field: 'apiVersion',
            message: `${object.kind} is not served in ${object.apiVersion}; use ${served}`,
          },
        ];
      }
      const definition = definitions.get(`${group}/${object.kind}`);
      if (definition !== undefined) {
        definitions.delete(`${group}/${object.kind}`);
        server.install(definition);
      }
      const { namespace } = object.metadata;
      if (ref.namespaced && namespace !== undefined && !namespaces.has(namespace)) {
        namespaces.add(namespace);
        // An invalid name is reported with the object.
        await client
          .create(resources.NAMESPACES, {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: namespace },
          })
          .catch(onlyRejections);
      }
      return client
        .create(ref, body(object, ref.namespaced), { dryRun: 'All' })
        .then(() => [], onlyRejections);
    },
    close: () => server.close(),
  };
}

// ---------------------------------------------------------------------------------------------------

interface CrdNames {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

function isResource(value: unknown): value is ResourceRef {
  return typeof value === 'object' && value !== null && 'plural' in value;
}

function refOf({ spec: { group, scope, names, versions } }: CrdNames): ResourceRef {
  const version = versions.find(({ storage }) => storage)?.name ?? versions[0]!.name;
  return { group, version, plural: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' };
}

/** What a user writes; what a server adds would be rejected. */
function body(object: KubeObject, namespaced: boolean): KubeObject {
  const { name, generateName, namespace, labels, annotations } = object.metadata;
  const { status: _, ...rest } = object as KubeObject & { status?: unknown };
  return {
    ...rest,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(generateName === undefined ? {} : { generateName }),
      ...(namespaced ? { namespace: namespace ?? 'default' } : {}),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/** @throws for anything that is not about the object itself. */
function onlyRejections(error: unknown): readonly Rejection[] {
  if (!isApiError(error, 'invalid', 'badRequest')) {
    // Admission needs other objects (a PriorityClass, a ServiceAccount), which a cluster may have.
    if (isApiError(error)) return [];
    throw error;
  }
  const causes = error.status?.details?.causes ?? [];
  if (causes.length === 0) return [{ field: '', message: error.message }];
  return causes.map(({ field = '', message = '' }) => ({ field, message }));
}

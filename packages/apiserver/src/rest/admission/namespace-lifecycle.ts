/** Rejects new objects in a namespace that does not exist or is being deleted; some namespaces cannot be deleted. */
import { type ApiError, notFound } from '../../errors.ts';
import { type AdmissionPlugin, type Attributes, isKind, refused } from './admission.ts';

export const NAMESPACE_LIFECYCLE: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  mutate(attributes) {
    const { call, operation } = attributes;
    if (operation === 'DELETE') {
      if (isKind(call, '', 'namespaces') && call.name !== undefined && UNDELETABLE.has(call.name)) {
        throw refused(attributes, 'this namespace may not be deleted');
      }
      return;
    }
    if (!call.resource.namespaced || call.resource.plural === 'localsubjectaccessreviews') return;
    const namespace = call.namespace ?? '';
    const found = call.lookup('namespaces', '', namespace);
    if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
    if (operation !== 'CREATE') return;
    if ((found['status'] as { phase?: string } | undefined)?.phase !== 'Terminating') return;
    throw terminating(attributes, namespace);
  },
};

// ---------------------------------------------------------------------------------------------------

const UNDELETABLE: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

function terminating(attributes: Attributes, namespace: string): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return refused(attributes, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/**
 * A pod names a ServiceAccount that exists. The account `default` is not demanded: a controller creates it, and a server
 * without this controller has none.
 */
import { type AdmissionPlugin, isKind, refused, specOf } from './admission.ts';

export const SERVICE_ACCOUNT: AdmissionPlugin = {
  name: 'ServiceAccount',
  mutate(attributes) {
    const { call, operation, object } = attributes;
    if (operation !== 'CREATE' || !isKind(call, '', 'pods') || call.subresource !== undefined) return;
    const { annotations = {}, namespace = call.namespace } = object!.metadata as PodMetadata;
    const { serviceAccountName, serviceAccount } = specOf<PodSpec>(object!);
    const name = serviceAccountName || serviceAccount || 'default';
    // Pods of the kubelet's files have none.
    if (name === 'default' || annotations['kubernetes.io/config.mirror'] !== undefined) return;
    if (call.lookup('serviceaccounts', namespace ?? '', name) !== undefined) return;
    throw refused(
      attributes,
      `error looking up service account ${namespace ?? ''}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  },
};

// ---------------------------------------------------------------------------------------------------

interface PodSpec {
  serviceAccountName?: string;
  serviceAccount?: string;
}

interface PodMetadata {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

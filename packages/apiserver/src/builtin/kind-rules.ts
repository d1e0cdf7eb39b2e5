/** Which rules belong to which resource; a resource without a row here has only the general behaviour. */
import { definitionHooks } from '../crd/definition.ts';
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from './access/roles.ts';
import { signingRequestRules } from './access/signing-requests.ts';
import { configMapRules, secretRules, serviceAccountRules } from './cluster/configuration.ts';
import { coreEventRules, eventRules } from './cluster/events.ts';
import { namespaceRules, nodeRules } from './cluster/nodes.ts';
import {
  disruptionBudgetRules,
  leaseRules,
  limitRangeRules,
  priorityClassRules,
  resourceQuotaRules,
  runtimeClassRules,
} from './cluster/policies.ts';
import { endpointSliceRules, endpointsRules } from './network/endpoints.ts';
import { ingressClassRules, ingressRules, networkPolicyRules } from './network/ingresses.ts';
import { serviceRules } from './network/services.ts';
import { podRules, podTemplateRules } from './pods/rules.ts';
import type { KindRules } from './rules.ts';
import { claimRules } from './storage/claims.ts';
import {
  csiDriverRules,
  csiNodeRules,
  csiStorageCapacityRules,
  storageClassRules,
  volumeAttachmentRules,
} from './storage/classes.ts';
import { volumeRules } from './storage/volumes.ts';
import { autoscalerRules } from './workloads/autoscalers.ts';
import { deploymentRules, replicaSetRules, replicationControllerRules } from './workloads/deployments.ts';
import { cronJobRules, jobRules } from './workloads/jobs.ts';
import { controllerRevisionRules, daemonSetRules, statefulSetRules } from './workloads/stateful-sets.ts';

/** The rules of the crd module for definitions, in the form of kind rules. */
const definitionRules: KindRules = {
  generation: false,
  defaults: (object) => definitionHooks.defaults(object),
  prepareForCreate: (object, context) => definitionHooks.prepareForCreate(object, context),
  validate: () => {},
  validateNew: (object, errors, context) => {
    errors.list.push(...definitionHooks.validateCreate(object, context));
  },
  prepareForUpdate: (next, current, context) => definitionHooks.prepareForUpdate(next, current, context),
  validateUpdate: (next, current, errors, context) => {
    errors.list.push(...definitionHooks.validateUpdate(next, current, context));
  },
};

const NO_RULES: KindRules = {};

/** `key` is the resource as messages name it: `pods`, `deployments.apps`. */
export function rulesOf(key: string): KindRules {
  return RULES[key] ?? NO_RULES;
}

const RULES: Readonly<Record<string, KindRules>> = {
  configmaps: configMapRules,
  endpoints: endpointsRules,
  events: coreEventRules,
  limitranges: limitRangeRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  pods: podRules,
  podtemplates: podTemplateRules,
  replicationcontrollers: replicationControllerRules,
  resourcequotas: resourceQuotaRules,
  secrets: secretRules,
  serviceaccounts: serviceAccountRules,
  services: serviceRules,
  'controllerrevisions.apps': controllerRevisionRules,
  'daemonsets.apps': daemonSetRules,
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'statefulsets.apps': statefulSetRules,
  'events.events.k8s.io': eventRules,
  'horizontalpodautoscalers.autoscaling': autoscalerRules,
  'cronjobs.batch': cronJobRules,
  'jobs.batch': jobRules,
  'certificatesigningrequests.certificates.k8s.io': signingRequestRules,
  'ingressclasses.networking.k8s.io': ingressClassRules,
  'ingresses.networking.k8s.io': ingressRules,
  'networkpolicies.networking.k8s.io': networkPolicyRules,
  'poddisruptionbudgets.policy': disruptionBudgetRules,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingRules,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleRules,
  'rolebindings.rbac.authorization.k8s.io': roleBindingRules,
  'roles.rbac.authorization.k8s.io': roleRules,
  'csidrivers.storage.k8s.io': csiDriverRules,
  'csinodes.storage.k8s.io': csiNodeRules,
  'csistoragecapacities.storage.k8s.io': csiStorageCapacityRules,
  'storageclasses.storage.k8s.io': storageClassRules,
  'volumeattachments.storage.k8s.io': volumeAttachmentRules,
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  'leases.coordination.k8s.io': leaseRules,
  'runtimeclasses.node.k8s.io': runtimeClassRules,
  'endpointslices.discovery.k8s.io': endpointSliceRules,
};

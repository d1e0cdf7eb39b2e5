/**
 * The roles and bindings that every cluster starts with: names, rules and labels as a real server of version 1.36
 * writes them. Only data; `bootstrap-policy.ts` turns it into objects.
 */
import type { PolicyRule } from './rules.ts';

export interface BootstrapRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Takes in the rules of all roles with this label. */
  readonly gathers?: string;
  readonly rules?: readonly PolicyRule[];
}

export const BOOTSTRAP_ROLES: readonly BootstrapRole[] = [
  { name: 'admin', gathers: 'rbac.authorization.k8s.io/aggregate-to-admin' },
  {
    name: 'cluster-admin',
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  },
  {
    name: 'edit',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
    gathers: 'rbac.authorization.k8s.io/aggregate-to-edit',
  },
  {
    name: 'system:aggregate-to-admin',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
    rules: [
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'] },
      {
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['rolebindings', 'roles'],
      },
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
    rules: [
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: [
          'pods/attach',
          'pods/exec',
          'pods/portforward',
          'pods/proxy',
          'secrets',
          'services/proxy',
        ],
      },
      { verbs: ['impersonate'], apiGroups: [''], resources: ['serviceaccounts'] },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: [''],
        resources: ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'],
      },
      { verbs: ['create'], apiGroups: [''], resources: ['pods/eviction'] },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: [''],
        resources: [
          'configmaps',
          'persistentvolumeclaims',
          'replicationcontrollers',
          'replicationcontrollers/scale',
          'secrets',
          'serviceaccounts',
          'services',
          'services/proxy',
        ],
      },
      { verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'] },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['', 'events.k8s.io'],
        resources: ['events'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['apps'],
        resources: [
          'daemonsets',
          'deployments',
          'deployments/rollback',
          'deployments/scale',
          'replicasets',
          'replicasets/scale',
          'statefulsets',
          'statefulsets/scale',
        ],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['autoscaling'],
        resources: ['horizontalpodautoscalers'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['batch'],
        resources: ['cronjobs', 'jobs'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['extensions'],
        resources: [
          'daemonsets',
          'deployments',
          'deployments/rollback',
          'deployments/scale',
          'ingresses',
          'networkpolicies',
          'replicasets',
          'replicasets/scale',
          'replicationcontrollers/scale',
        ],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['policy'],
        resources: ['poddisruptionbudgets'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['networking.k8s.io'],
        resources: ['ingresses', 'networkpolicies'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceclaims', 'resourceclaimtemplates'],
      },
    ],
  },
  {
    name: 'system:aggregate-to-view',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    rules: [
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: [
          'configmaps',
          'endpoints',
          'persistentvolumeclaims',
          'persistentvolumeclaims/status',
          'pods',
          'replicationcontrollers',
          'replicationcontrollers/scale',
          'serviceaccounts',
          'services',
          'services/status',
        ],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: [
          'bindings',
          'limitranges',
          'namespaces/status',
          'pods/log',
          'pods/status',
          'replicationcontrollers/status',
          'resourcequotas',
          'resourcequotas/status',
        ],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['apps'],
        resources: [
          'controllerrevisions',
          'daemonsets',
          'daemonsets/status',
          'deployments',
          'deployments/scale',
          'deployments/status',
          'replicasets',
          'replicasets/scale',
          'replicasets/status',
          'statefulsets',
          'statefulsets/scale',
          'statefulsets/status',
        ],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['autoscaling'],
        resources: ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['batch'],
        resources: ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['extensions'],
        resources: [
          'daemonsets',
          'daemonsets/status',
          'deployments',
          'deployments/scale',
          'deployments/status',
          'ingresses',
          'ingresses/status',
          'networkpolicies',
          'replicasets',
          'replicasets/scale',
          'replicasets/status',
          'replicationcontrollers/scale',
        ],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['policy'],
        resources: ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['networking.k8s.io'],
        resources: ['ingresses', 'ingresses/status', 'networkpolicies'],
      },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'],
      },
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'] },
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests/nodeclient'],
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests/selfnodeclient'],
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: [
      {
        verbs: ['approve'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kube-apiserver-client'],
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: [
      {
        verbs: ['approve'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kube-apiserver-client-kubelet'],
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: [
      {
        verbs: ['approve'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kubelet-serving'],
      },
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
      },
    ],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      { verbs: ['create', 'patch', 'update'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
      { verbs: ['create'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
      {
        verbs: ['get', 'list', 'update', 'watch'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['kube-scheduler'],
      },
      {
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leasecandidates'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['nodes'] },
      { verbs: ['delete', 'get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['create'], apiGroups: [''], resources: ['bindings', 'pods/binding'] },
      { verbs: ['patch', 'update'], apiGroups: [''], resources: ['pods/status'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['replicationcontrollers', 'services'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['apps', 'extensions'], resources: ['replicasets'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['apps'], resources: ['statefulsets'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['policy'], resources: ['poddisruptionbudgets'] },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: ['persistentvolumeclaims', 'persistentvolumes'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['csinodes'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['csistoragecapacities'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['resource.k8s.io'], resources: ['deviceclasses'] },
      {
        verbs: ['get', 'list', 'patch', 'update', 'watch'],
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceclaims'],
      },
      {
        verbs: ['get', 'list', 'patch', 'update', 'watch'],
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceclaims/status'],
      },
      { verbs: ['update'], apiGroups: [''], resources: ['pods/finalizers'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['resource.k8s.io'], resources: ['resourceslices'] },
      { verbs: ['create', 'delete'], apiGroups: ['resource.k8s.io'], resources: ['resourceclaims'] },
      { verbs: ['patch', 'update'], apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/binding'] },
    ],
  },
  {
    name: 'system:node',
    rules: [
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['localsubjectaccessreviews', 'subjectaccessreviews'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['services'] },
      { verbs: ['create', 'get', 'list', 'watch'], apiGroups: [''], resources: ['nodes'] },
      { verbs: ['patch', 'update'], apiGroups: [''], resources: ['nodes/status'] },
      { verbs: ['patch', 'update'], apiGroups: [''], resources: ['nodes'] },
      { verbs: ['create', 'patch', 'update'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['create', 'delete'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['patch', 'update'], apiGroups: [''], resources: ['pods/status'] },
      { verbs: ['create'], apiGroups: [''], resources: ['pods/eviction'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps', 'secrets'] },
      { verbs: ['get'], apiGroups: [''], resources: ['persistentvolumeclaims', 'persistentvolumes'] },
      { verbs: ['get'], apiGroups: [''], resources: ['endpoints'] },
      {
        verbs: ['create', 'get', 'list', 'watch'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests'],
      },
      {
        verbs: ['create', 'delete', 'get', 'patch', 'update'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
      },
      { verbs: ['get'], apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'] },
      { verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'] },
      { verbs: ['get', 'patch', 'update'], apiGroups: [''], resources: ['persistentvolumeclaims/status'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] },
      {
        verbs: ['create', 'delete', 'get', 'patch', 'update'],
        apiGroups: ['storage.k8s.io'],
        resources: ['csinodes'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'] },
      { verbs: ['get'], apiGroups: ['resource.k8s.io'], resources: ['resourceclaims'] },
      { verbs: ['deletecollection'], apiGroups: ['resource.k8s.io'], resources: ['resourceslices'] },
      { verbs: ['get'], apiGroups: [''], resources: ['serviceaccounts'] },
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [
      {
        verbs: ['create', 'get', 'list', 'watch'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests'],
      },
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] }],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      {
        verbs: ['get', 'list', 'patch', 'update', 'watch'],
        apiGroups: [''],
        resources: ['persistentvolumes'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['storage.k8s.io'], resources: ['storageclasses'] },
      {
        verbs: ['get', 'list', 'patch', 'update', 'watch'],
        apiGroups: [''],
        resources: ['persistentvolumeclaims'],
      },
    ],
  },
  {
    name: 'view',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
    gathers: 'rbac.authorization.k8s.io/aggregate-to-view',
  },
];

/** Binding and role share the name. */
export const BOOTSTRAP_BINDINGS: readonly {
  readonly name: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
}[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:kube-scheduler', users: ['system:kube-scheduler'] },
  { name: 'system:node' },
  { name: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { name: 'system:volume-scheduler', users: ['system:kube-scheduler'] },
];

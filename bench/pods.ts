/** Pods as clusters have them: owned by a ReplicaSet, with labels, probes, mounts and a full status. */
import type { KubeObject } from '@chandler/kube';

/** The pod that a workload controller posts. */
export function newPod(index: number, namespace = 'default'): KubeObject {
  const app = `app-${index % 200}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${index}`,
      namespace,
      labels: { app, 'pod-template-hash': `hash${index % 200}`, team: `team-${index % 20}` },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-rs`,
          uid: `00000000-0000-4000-8000-${String(index % 200).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app } },
        },
      ],
      containers: [
        {
          name: 'main',
          image: `registry.example.com/${app}:v1.${index % 50}`,
          ports: [{ containerPort: 8080, name: 'http' }],
          env: [
            { name: 'APP', value: app },
            { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ],
          resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
          volumeMounts: [{ name: 'config', mountPath: '/etc/app' }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: app } }],
    },
  };
}

/** The same pod when it runs, as a list returns it. */
export function runningPod(index: number): KubeObject {
  const pod = newPod(index);
  const time = '2026-01-01T00:00:00Z';
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      uid: `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(1000 + index),
      creationTimestamp: time,
      annotations: { 'example.com/checksum': `sum${index % 200}`, 'example.com/injected': 'true' },
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
            'f:spec': { 'f:containers': {} },
          },
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:status': { 'f:phase': {} } },
          subresource: 'status',
        },
      ],
    },
    spec: {
      ...(pod['spec'] as object),
      nodeName: `node-${index % 1000}`,
      restartPolicy: 'Always',
      priority: 0,
    },
    status: {
      phase: 'Running',
      hostIP: '10.0.0.1',
      podIP: `10.1.${(index >> 8) % 256}.${index % 256}`,
      startTime: time,
      qosClass: 'Burstable',
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          restartCount: 0,
          image: 'registry.example.com/app:v1',
          imageID:
            'registry.example.com/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
          containerID: `containerd://${String(index).padStart(64, '0')}`,
          started: true,
          state: { running: { startedAt: time } },
        },
      ],
    },
  };
}

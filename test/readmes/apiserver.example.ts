import { startApiServer } from '@chandler/apiserver';
import { KubeClient, resourceRef, undiciTransport } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';

const WIDGETS = resourceRef('example.com', 'v1', 'widgets', 'Widget', true);
const spec = { type: 'object', properties: { size: { type: 'integer', default: 3 } } };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};

const server = await startApiServer({ world: realTimeWorld(), port: 0, initialObjects: [crd] });
const headers = { authorization: `Bearer ${server.adminToken}` };
const connection = undiciTransport({
  server: server.url!,
  ca: server.caPem,
  identify: async () => ({ headers }),
});
const client = new KubeClient({ transport: connection.send });
const widget = await client.create(WIDGETS, {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { namespace: 'default', name: 'one' },
  spec: {},
});
console.log(widget['spec']); // { size: 3 }
await connection.close();
await server.close();

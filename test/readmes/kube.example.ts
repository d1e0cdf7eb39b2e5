import {
  CONFIG_MAPS,
  Controller,
  fetchTransport,
  KubeClient,
  parseKey,
  Reflector,
  Store,
  storeSource,
} from '@chandler/kube';
import { realTimeWorld, TinyServer } from '@chandler/kube/testing';

const world = realTimeWorld();
const client = new KubeClient({ transport: fetchTransport(new TinyServer().fetch) });
const configMaps = new Reflector({ client, world, store: new Store({ resource: CONFIG_MAPS }) }).start();

const reconciled = Promise.withResolvers<string>();
const controller = new Controller({
  name: 'greeter',
  world,
  sources: [storeSource(configMaps)],
  reconcile: async (key) => {
    // A request is only a key: read what is true now.
    if (configMaps.store.get(parseKey(key)) === undefined) return;
    await client.patch(CONFIG_MAPS, parseKey(key), { type: 'merge', patch: { data: { greeting: 'hello' } } });
    reconciled.resolve(key);
  },
});
await controller.start();

await client.create(CONFIG_MAPS, { metadata: { namespace: 'default', name: 'one' } });
console.log(await reconciled.promise); // default/one
const configMap = await client.get(CONFIG_MAPS, { namespace: 'default', name: 'one' });
console.log(configMap['data']); // { greeting: 'hello' }
await controller.stop();
await configMaps.stop();

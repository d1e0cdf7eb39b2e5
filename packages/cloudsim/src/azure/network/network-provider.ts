/**
 * Microsoft.Network: network interfaces, and what a cluster's node resource group has beside them.
 */
import { readRoutes } from '../store/read-routes.ts';
import type { Provider } from '../wire/context.ts';
import { NIC_TYPE, type Nics } from './nics.ts';
import { NETWORK_API_VERSIONS, plainRoutes } from './plain-resources.ts';

export function networkProvider(nics: Nics): Provider {
  const one = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${NIC_TYPE}/{name}`;
  const apiVersions = NETWORK_API_VERSIONS;
  return (context) => [
    ...readRoutes(context, { type: NIC_TYPE, apiVersions }),
    { method: 'PUT', pattern: one, apiVersions, handle: (request) => nics.put(request) },
    { method: 'PATCH', pattern: one, apiVersions, handle: (request) => nics.patch(request) },
    { method: 'DELETE', pattern: one, apiVersions, handle: (request) => nics.delete(request) },
    ...plainRoutes(context),
  ];
}

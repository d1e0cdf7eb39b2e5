/**
 * Managed identities as one provider of the ARM server: user-assigned identities with their federated credentials. Each is a
 * resource, a principal of the directory, and somebody who can sign in with a token that one of its credentials trusts.
 */
import type { Provider } from '../wire/context.ts';
import { credentialRoutes } from './federated-credentials.ts';
import { identityResourceRoutes } from './user-assigned-identities.ts';

export const identitiesProvider: Provider = (context) => [
  ...identityResourceRoutes(context),
  ...credentialRoutes(context),
];

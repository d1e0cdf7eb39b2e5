/**
 * Implements `AzureClient` with the official SDKs. Every operation retries transient failures within a timeout; every
 * other error becomes a `FlexError` with a class. Results are reduced to the fields that the steps need.
 */
import type { AccessToken } from '@azure/core-auth';
import type { Fetch, World } from '@chandler/kube';
import {
  ArmError,
  armScope,
  isNotFound,
  lastSegment,
  NO_TOKEN,
  pagesOf,
  type RoleAssignmentRequest,
  roleAssignmentId,
  roleAssignmentName,
  roleDefinitionId,
  worksAt,
} from '../../arm/index.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { AKS_SERVER_APP_ID } from './audience.ts';
import type { ArcMachine, AzureClient, ManagedClusterFacts, RoleAssignment } from './azure-client.ts';
import { type AzureCall, azureFailure, whenTransient, whenTransientOrNew } from './azure-failure.ts';
import { environmentOf } from './environment.ts';
import { operatorCredential } from './operator-credential.ts';
import { type RetryDecision, type RetryOptions, retryCall } from './retry-call.ts';
import { type SdkClients, sdkClients } from './sdk-clients.ts';

export interface AzureClientOptions {
  readonly config: FlexConfig;
  /** For the Azure CLI. */
  readonly host: Pick<Host, 'run'>;
  /** Default: the World's. */
  readonly fetch?: Fetch;
  /** The terminal is interactive, so a device code login is possible. */
  readonly interactive: boolean;
  /** For the user agent. */
  readonly version?: string;
  /** Timeout of one operation with all its retries. Default five minutes. */
  readonly budgetMs?: number;
}

export function createAzureClient(world: World, options: AzureClientOptions): AzureClient {
  const { azure } = options.config;
  const environment = environmentOf(azure);
  const { config, host, interactive } = options;
  const credential = operatorCredential(world, {
    config,
    host,
    interactive,
    environment,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const clients = sdkClients(world, {
    environment,
    credential,
    subscriptionId: azure.subscriptionId,
    version: options.version ?? '0',
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const callAzure: CallAzure = async (call, signal, operation, retryDecision = whenTransient) => {
    const patience: RetryOptions = options.budgetMs === undefined ? {} : { budgetMs: options.budgetMs };
    try {
      return await retryCall(world, operation, retryDecision, signal, patience);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw azureFailure(error, call);
    }
  };
  const token = (doing: string, scope: string, signal: AbortSignal) =>
    callAzure({ doing }, signal, async () => {
      const answer: AccessToken | null = await credential.getToken(scope, { abortSignal: signal });
      if (answer === null) throw new ArmError({ code: NO_TOKEN, message: `no token for ${scope}` });
      return answer.token;
    });
  return {
    async signIn(signal) {
      try {
        await credential.signIn(signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw azureFailure(error, { doing: 'log in to Azure' });
      }
    },
    armToken: (signal) => token('get a token for Azure', armScope(environment), signal),
    clusterToken: (signal) => token('get a token for the cluster', `${AKS_SERVER_APP_ID}/.default`, signal),
    ...machines(clients, azure, callAzure),
    ...roles(clients, callAzure),
    ...clusters(clients, azure, callAzure),
  };
}

// ---------------------------------------------------------------------------------------------------

type CallAzure = <T>(
  call: AzureCall,
  signal: AbortSignal,
  operation: () => Promise<T>,
  retryDecision?: RetryDecision,
) => Promise<T>;

type AzureConfig = FlexConfig['azure'];

function machines(
  clients: SdkClients,
  azure: AzureConfig,
  callAzure: CallAzure,
): Pick<AzureClient, 'machine' | 'deleteMachine'> {
  const { machineName, resourceGroup } = azure.arc;
  return {
    machine: (signal) => {
      const call = {
        doing: `read the Arc machine ${machineName}`,
        needs: `Azure Connected Machine Onboarding on resource group ${resourceGroup}`,
      };
      return callAzure(call, signal, async () => {
        const client = await clients.hybridCompute(azure.subscriptionId);
        try {
          return machineFacts(await client.machines.get(resourceGroup, machineName, { abortSignal: signal }));
        } catch (error) {
          if (isMissingGroup(error)) throw missingGroup(azure);
          if (isNotFound(error)) return undefined;
          throw error;
        }
      });
    },
    deleteMachine: (signal) => {
      const call = {
        doing: `delete the Arc machine ${machineName}`,
        needs: `Azure Connected Machine Resource Administrator on resource group ${resourceGroup}`,
      };
      return callAzure(call, signal, async () => {
        const client = await clients.hybridCompute(azure.subscriptionId);
        let status = 0;
        try {
          await client.machines.delete(resourceGroup, machineName, {
            abortSignal: signal,
            onResponse: (answer) => {
              status = answer.status;
            },
          });
          return status !== 204;
        } catch (error) {
          if (isNotFound(error)) return false;
          throw error;
        }
      });
    },
  };
}

function machineFacts(answer: {
  readonly id?: string;
  readonly name?: string;
  readonly location?: string;
  readonly identity?: { readonly principalId?: string; readonly tenantId?: string };
  readonly properties?: { readonly status?: string };
}): ArcMachine {
  const { principalId, tenantId } = answer.identity ?? {};
  const status = answer.properties?.status;
  return {
    id: answer.id ?? '',
    name: answer.name ?? '',
    location: answer.location ?? '',
    ...(principalId ? { principalId } : {}),
    ...(tenantId ? { tenantId } : {}),
    ...(status ? { status } : {}),
  };
}

function isMissingGroup(error: unknown): boolean {
  const failure = azureFailure(error, { doing: '' }).facts.cause;
  return failure instanceof ArmError && failure.codes.includes('ResourceGroupNotFound');
}

function missingGroup(azure: AzureConfig): FlexError {
  const { resourceGroup, location } = azure.arc;
  return new FlexError({
    class: 'config',
    code: 'azure.resource-group-not-found',
    message: `resource group ${resourceGroup} does not exist in subscription ${azure.subscriptionId}`,
    remedy: `Run: az group create --subscription ${azure.subscriptionId} --name ${resourceGroup} --location ${location}`,
    where: 'azure.arc.resourceGroup',
  });
}

const ROLE_NEEDS = 'Owner or User Access Administrator on the cluster';

function roles(
  clients: SdkClients,
  callAzure: CallAzure,
): Pick<AzureClient, 'assignRole' | 'roleAssignments' | 'deleteRoleAssignment'> {
  const clientFor = (scope: string) =>
    clients.authorization(/^\/subscriptions\/([^/]+)/i.exec(scope)?.[1] ?? '');
  return {
    assignRole(request, signal) {
      const call = {
        doing: `assign role ${request.roleId} to principal ${request.principalId}`,
        needs: ROLE_NEEDS,
      };
      return callAzure(call, signal, () => createAssignment(clientFor, request, signal), whenTransientOrNew);
    },
    roleAssignments(scope, principalId, signal) {
      return callAzure(
        { doing: `list the role assignments of principal ${principalId}`, needs: ROLE_NEEDS },
        signal,
        async () => {
          const client = await clientFor(scope);
          const found: RoleAssignment[] = [];
          const pages = client.roleAssignments.listForScope(scope.replace(/^\//, ''), {
            filter: `principalId eq '${principalId}'`,
            abortSignal: signal,
          });
          for await (const { id, principalId: whose, roleDefinitionId: role } of pagesOf(pages)) {
            if (id === undefined || whose === undefined || role === undefined) continue;
            if (whose.toLowerCase() !== principalId.toLowerCase() || !worksAt(id, scope)) continue;
            found.push({ id, principalId: whose, roleId: lastSegment(role) });
          }
          return found;
        },
      );
    },
    deleteRoleAssignment(id, signal) {
      return callAzure({ doing: `delete the role assignment ${id}`, needs: ROLE_NEEDS }, signal, async () => {
        const client = await clientFor(id);
        let status = 0;
        try {
          await client.roleAssignments.deleteById(id.replace(/^\//, ''), {
            abortSignal: signal,
            onResponse: (answer) => {
              status = answer.status;
            },
          });
          return status !== 204;
        } catch (error) {
          if (isNotFound(error)) return false;
          throw error;
        }
      });
    },
  };
}

async function createAssignment(
  clientFor: (scope: string) => ReturnType<SdkClients['authorization']>,
  request: RoleAssignmentRequest,
  signal: AbortSignal,
): Promise<RoleAssignment> {
  const client = await clientFor(request.scope);
  const made = {
    id: roleAssignmentId(request),
    principalId: request.principalId,
    roleId: lastSegment(request.roleId),
  };
  try {
    await client.roleAssignments.create(
      request.scope.replace(/^\//, ''),
      roleAssignmentName(request),
      {
        principalId: request.principalId,
        roleDefinitionId: roleDefinitionId(request),
        // Without it Azure looks up the principal in a directory replica that may not have it yet.
        principalType: 'ServicePrincipal',
      },
      { abortSignal: signal },
    );
    return made;
  } catch (error) {
    const failure = azureFailure(error, { doing: '' }).facts.cause;
    if (failure instanceof ArmError && failure.codes.includes('RoleAssignmentExists')) return made;
    throw error;
  }
}

function clusters(
  clients: SdkClients,
  azure: AzureConfig,
  callAzure: CallAzure,
): Pick<AzureClient, 'cluster' | 'kubeconfig'> {
  const { name, resourceGroup, subscriptionId } = azure.targetCluster;
  return {
    cluster: (signal) =>
      callAzure({ doing: `read the cluster ${name}`, needs: 'Reader on the cluster' }, signal, async () => {
        const client = await clients.containerService(subscriptionId);
        const answer = await client.managedClusters.get(resourceGroup, name, { abortSignal: signal });
        const dnsServiceIp = answer.networkProfile?.dnsServiceIP;
        const facts: ManagedClusterFacts = {
          kubernetesVersion: answer.currentKubernetesVersion ?? answer.kubernetesVersion ?? '',
          ...(answer.location ? { location: answer.location.toLowerCase().replaceAll(' ', '') } : {}),
          ...(answer.fqdn ? { fqdn: answer.fqdn } : {}),
          ...(answer.privateFqdn ? { privateFqdn: answer.privateFqdn } : {}),
          ...(dnsServiceIp ? { dnsServiceIp } : {}),
          localAccountsDisabled: answer.disableLocalAccounts === true,
          azureRbac: answer.aadProfile?.enableAzureRbac === true,
        };
        return facts;
      }),
    kubeconfig: (kind, signal) => {
      const call = {
        doing: `get the ${kind} kubeconfig of the cluster ${name}`,
        needs: `Azure Kubernetes Service Cluster ${kind === 'admin' ? 'Admin' : 'User'} Role on the cluster`,
      };
      return callAzure(call, signal, async () => {
        const client = await clients.containerService(subscriptionId);
        const options = { abortSignal: signal };
        const { kubeconfigs } =
          kind === 'admin'
            ? await client.managedClusters.listClusterAdminCredentials(resourceGroup, name, options)
            : await client.managedClusters.listClusterUserCredentials(resourceGroup, name, {
                ...options,
                format: 'exec',
              });
        const first = kubeconfigs?.[0]?.value;
        if (first !== undefined && first.length > 0) return Buffer.from(first).toString('utf8');
        throw new FlexError({
          class: 'step',
          code: 'azure.no-kubeconfig',
          message: `cannot ${call.doing}: the response contains none`,
        });
      });
    },
  };
}

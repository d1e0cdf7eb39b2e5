/**
 * The parts of ARM that setting up a flex node touches: Arc machines, role assignments (paged, slow to be seen, with a
 * directory that does not know new principals at once), the managed cluster and its two kubeconfigs. Wants a bearer
 * token of the login stand-in.
 */
import { type ArmFault, armError, faultAnswer, type PlannedFault } from './arm-faults.ts';
import { ARM_AUDIENCE } from './login.ts';
import type { Handler } from './serve.ts';
import type { FakeTokenIssuer } from './token-issuer.ts';

export interface StandinMachine {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly tags: string;
  principalId: string;
  /** As Azure derives it from the heartbeats of the agent. */
  status: 'Connected' | 'Disconnected';
  /** GETs that still see no identity. */
  identityAfter: number;
}

export interface StandinAssignment {
  readonly id: string;
  readonly principalId: string;
  readonly roleDefinitionId: string;
  /** Lists that do not show it yet. */
  hiddenFor: number;
}

export interface StandinCluster {
  kubernetesVersion: string;
  fqdn: string;
  dnsServiceIp: string;
  disableLocalAccounts: boolean;
  azureRbac: boolean;
  adminKubeconfig: string;
  userKubeconfig: string;
}

export class ArmStandin {
  /** By lower-case resource id. */
  readonly machines = new Map<string, StandinMachine>();
  readonly assignments: StandinAssignment[] = [];
  readonly clusters = new Map<string, StandinCluster>();
  /** `PUT /subscriptions/…`, without host and query. */
  readonly calls: string[] = [];
  /** The api-version of each call. */
  readonly apiVersions: string[] = [];
  readonly faults: PlannedFault[] = [];
  /** Lists that do not show a new assignment yet. */
  assignmentsHiddenFor = 0;
  /** PUTs of assignments that answer PrincipalNotFound. */
  principalUnknownFor = 0;
  pageSize = 2;
  /** Principals are never given twice, also after a machine is deleted. */
  #principals = 0;
  readonly #tokens: FakeTokenIssuer;

  constructor(tokens: FakeTokenIssuer) {
    this.#tokens = tokens;
  }

  fail(on: RegExp, fault: ArmFault, times = 1): void {
    this.faults.push({ on, fault, times });
  }

  /** As `azcmagent connect` does. */
  register(id: string, location: string, tags = '', identityAfter = 0): StandinMachine {
    const name = id.slice(id.lastIndexOf('/') + 1);
    const principalId = `dddddddd-0000-4000-8000-${String(++this.#principals).padStart(12, '0')}`;
    const status = 'Connected' as const;
    const machine: StandinMachine = { id, name, location, tags, principalId, identityAfter, status };
    this.machines.set(id.toLowerCase(), machine);
    return machine;
  }

  readonly handler: Handler = async (request) => {
    const url = new URL(request.url);
    const path = decodeURIComponent(url.pathname).replace(/^\/+/, '/');
    const call = `${request.method} ${path}`;
    this.calls.push(call);
    this.apiVersions.push(url.searchParams.get('api-version') ?? '');
    const requestId = `request-${this.calls.length}`;
    const planned = this.faults.find((each) => each.times > 0 && each.on.test(call));
    if (planned !== undefined) {
      planned.times--;
      return faultAnswer(planned.fault, requestId);
    }
    const bearer = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (this.#tokens.holder(bearer, ARM_AUDIENCE) === undefined) {
      return armError(401, 'AuthenticationFailed', 'The access token is missing or invalid.', {
        'x-ms-request-id': requestId,
      });
    }
    const answer = await this.#route(request, path, url);
    answer.headers.set('x-ms-request-id', requestId);
    return answer;
  };

  async #route(request: Request, path: string, url: URL): Promise<Response> {
    if (/\/Microsoft\.HybridCompute\/machines\/[^/]+$/i.test(path))
      return this.#machine(request.method, path);
    if (/\/roleAssignments$/i.test(path)) return this.#list(url, path);
    if (/\/roleAssignments\/[^/]+$/i.test(path)) return this.#assignment(request, path);
    const cluster = /^(.*\/managedClusters\/[^/]+)(?:\/(listCluster\w+))?$/i.exec(path);
    if (cluster !== null) return this.#cluster(cluster[1]!, cluster[2], url);
    return armError(404, 'InvalidResourceType', path);
  }

  #machine(method: string, path: string): Response {
    const machine = this.machines.get(path.toLowerCase());
    if (method === 'DELETE') {
      this.machines.delete(path.toLowerCase());
      return new Response(null, { status: machine === undefined ? 204 : 200 });
    }
    if (machine === undefined)
      return armError(404, 'ResourceNotFound', `The Resource '${path}' was not found.`);
    const identity =
      machine.identityAfter > 0
        ? undefined
        : { type: 'SystemAssigned', principalId: machine.principalId, tenantId: this.#tokens.tenantId };
    machine.identityAfter--;
    return Response.json({
      id: machine.id,
      name: machine.name,
      location: machine.location,
      identity,
      properties: { status: machine.status },
    });
  }

  async #assignment(request: Request, path: string): Promise<Response> {
    const at = this.assignments.findIndex((each) => each.id.toLowerCase() === path.toLowerCase());
    if (request.method === 'DELETE') {
      if (at < 0) return new Response(null, { status: 204 });
      return Response.json(shown(this.assignments.splice(at, 1)[0]!));
    }
    const { properties } = (await request.json()) as {
      properties: { principalId: string; roleDefinitionId: string };
    };
    if (this.principalUnknownFor > 0) {
      this.principalUnknownFor--;
      return armError(
        400,
        'PrincipalNotFound',
        `Principal ${properties.principalId} does not exist in the directory.`,
      );
    }
    const scope = path.slice(0, path.search(/\/providers\/Microsoft\.Authorization/i)).toLowerCase();
    const same = this.assignments.find(
      (each) =>
        each.principalId === properties.principalId &&
        each.roleDefinitionId.toLowerCase() === properties.roleDefinitionId.toLowerCase() &&
        each.id.toLowerCase().startsWith(`${scope}/providers/microsoft.authorization`),
    );
    if (same !== undefined)
      return armError(409, 'RoleAssignmentExists', 'The role assignment already exists.');
    const made = { id: path, ...properties, hiddenFor: this.assignmentsHiddenFor };
    this.assignments.push(made);
    return Response.json(shown(made), { status: 201 });
  }

  #list(url: URL, path: string): Response {
    const whose = /principalId eq '([^']+)'/.exec(url.searchParams.get('$filter') ?? '')?.[1];
    const start = Number(url.searchParams.get('$skiptoken') ?? 0);
    const all = this.assignments.filter(
      (each) =>
        (whose === undefined || each.principalId.toLowerCase() === whose.toLowerCase()) &&
        each.hiddenFor <= 0,
    );
    if (start === 0) for (const each of this.assignments) each.hiddenFor--;
    const page = all.slice(start, start + this.pageSize);
    const more = start + this.pageSize < all.length;
    const next = new URL(`${url.origin}${path}`);
    for (const [name, value] of url.searchParams) next.searchParams.set(name, value);
    next.searchParams.set('$skiptoken', String(start + this.pageSize));
    return Response.json({ value: page.map(shown), ...(more ? { nextLink: next.href } : {}) });
  }

  #cluster(id: string, action: string | undefined, url: URL): Response {
    const cluster = this.clusters.get(id.toLowerCase());
    if (cluster === undefined)
      return armError(404, 'ResourceNotFound', `The Resource '${id}' was not found.`);
    const secret = (text: string) =>
      Response.json({ kubeconfigs: [{ name: 'c', value: Buffer.from(text).toString('base64') }] });
    if (action === 'listClusterAdminCredential') {
      return cluster.disableLocalAccounts
        ? armError(
            400,
            'BadRequest',
            'Getting static credential is not allowed because this cluster is set to disable local accounts.',
          )
        : secret(cluster.adminKubeconfig);
    }
    if (action === 'listClusterUserCredential') {
      return url.searchParams.get('format') === 'exec'
        ? secret(cluster.userKubeconfig)
        : armError(400, 'BadRequest', 'format=exec is expected here');
    }
    return Response.json({
      id,
      name: id.slice(id.lastIndexOf('/') + 1),
      location: 'westus2',
      properties: {
        kubernetesVersion: cluster.kubernetesVersion,
        currentKubernetesVersion: cluster.kubernetesVersion,
        fqdn: cluster.fqdn,
        disableLocalAccounts: cluster.disableLocalAccounts,
        networkProfile: { dnsServiceIP: cluster.dnsServiceIp },
        aadProfile: { managed: true, enableAzureRBAC: cluster.azureRbac },
      },
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function shown({ id, principalId, roleDefinitionId }: StandinAssignment) {
  return {
    id,
    name: id.slice(id.lastIndexOf('/') + 1),
    type: 'Microsoft.Authorization/roleAssignments',
    properties: {
      principalId,
      roleDefinitionId,
      scope: id.slice(0, id.search(/\/providers\/Microsoft\.Auth/i)),
    },
  };
}

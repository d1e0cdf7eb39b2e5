/**
 * One call as a resource provider sees it, what it answers, and how it asks to be called. Reading the socket, tokens,
 * throttling and faults happen before (gateway.ts); a handler only knows its resource.
 */

export type Method = 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

export interface ArmRequest {
  readonly method: Method;
  /** Decoded, without query, as the caller spelled it. */
  readonly path: string;
  /** By the names in the route's pattern. */
  readonly params: Readonly<Record<string, string>>;
  /** First value of each parameter, by lower-case name. */
  readonly query: ReadonlyMap<string, string>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
  /** The raw body, for those that are not JSON (forms). */
  readonly text: string;
  /** `https://host:port` as the caller addressed us: links in answers start with it. */
  readonly baseUrl: string;
  readonly apiVersion: string;
  /** Who calls; undefined on routes that are open. */
  readonly principal: Principal | undefined;
  /** `x-ms-request-id` of the answer. */
  readonly requestId: string;
}

export interface Principal {
  /** Object id: what role assignments name. */
  readonly objectId: string;
  readonly clientId: string;
  readonly tenantId: string;
}

export interface ArmAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`; needs a content-type of its own. */
  readonly raw?: string;
}

export interface ArmRoute {
  readonly method: Method;
  /** `/subscriptions/{sub}/resourceGroups/{rg}/providers/Microsoft.Compute/virtualMachines/{name}`; literals match in any case. */
  readonly pattern: string;
  /** Accepted values of `api-version`; empty: the parameter is ignored. */
  readonly apiVersions: readonly string[];
  /**
   * `arm` (default): a management token, and the right for the action that method and pattern imply.
   * `token`: a management token only. `open`: no authentication, and no body is read as JSON unless it says so.
   * `own`: the handler reads the headers itself (Key Vault's data plane).
   */
  readonly access?: 'arm' | 'token' | 'open' | 'own';
  /** The action where method and pattern do not imply it: `Microsoft.Network/virtualNetworks/subnets/join/action`. */
  readonly action?: string;
  /** Takes bodies that are not JSON. */
  readonly anyBody?: boolean;
  /** Throws `ArmError` to reject. */
  handle(request: ArmRequest): ArmAnswer | Promise<ArmAnswer>;
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): ArmAnswer {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

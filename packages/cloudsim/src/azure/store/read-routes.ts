/**
 * Reading a type of resource: one, those of a group, those of the subscription. Any provider may use it; lists are paged
 * and may lag, single reads never do.
 */
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, parentResourceNotFound, resourceNotFound } from '../wire/errors.ts';
import { LaggedView } from './lagged-view.ts';
import type { ArmResource } from './resource.ts';
import { formatResourceId, parseResourceId } from './resource-id.ts';

export interface ReadOptions {
  /** `Microsoft.Network/networkInterfaces`. */
  readonly type: string;
  readonly apiVersions: readonly string[];
  /** How a resource is shown, where that is more than what is stored. */
  readonly view?: (resource: ArmResource, request: ArmRequest) => unknown;
  readonly pageSize?: number;
}

export function readRoutes(context: ArmContext, options: ReadOptions): readonly ArmRoute[] {
  const { type, apiVersions } = options;
  const inGroup = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${type}`;
  const lists = new Lists(context, options);
  return [
    {
      method: 'GET',
      pattern: `${inGroup}/{name}`,
      apiVersions,
      handle: (request) => one(context, options, request),
    },
    { method: 'GET', pattern: inGroup, apiVersions, handle: (request) => lists.page(request) },
    {
      method: 'GET',
      pattern: `/subscriptions/{sub}/providers/${type}`,
      apiVersions,
      handle: (request) => lists.page(request),
    },
  ];
}

/** The id of what a call with `{sub}`, `{rg}`, `{name}` (and `{parent}`) is about. Throws when the group does not exist. */
export function idOf(context: ArmContext, type: string, request: ArmRequest): string {
  const { sub, rg, name, parent } = request.params;
  context.store.requireResourceGroup(sub!, rg!);
  return formatResourceId({
    subscriptionId: sub!,
    resourceGroup: rg!,
    type,
    names: parent === undefined ? [name!] : [parent, name!],
  });
}

/** Throws `ResourceNotFound`, or `ParentResourceNotFound`. */
export function requireResource(context: ArmContext, id: string): ArmResource {
  const resource = context.store.get(id);
  if (resource !== undefined) return resource;
  requireParent(context, id);
  const parsed = parseResourceId(id)!;
  throw resourceNotFound(parsed.type, parsed.names.join('/'), parsed.resourceGroup);
}

/** Throws `ParentResourceNotFound` where the id is that of a part, and the whole does not exist. */
export function requireParent(context: ArmContext, id: string): void {
  const parsed = parseResourceId(id)!;
  const names = parsed.names.slice(0, -1);
  if (names.length === 0) return;
  const type = parsed.type.slice(0, parsed.type.lastIndexOf('/'));
  if (context.store.get(formatResourceId({ ...parsed, type, names })) === undefined)
    throw parentResourceNotFound(names.at(-1)!);
}

/** `If-Match` and `If-None-Match: *`, as a PUT may carry them. Throws 412. */
export function checkPreconditions(request: ArmRequest, existing: ArmResource | undefined): void {
  const ifMatch = request.headers['if-match'];
  const ifNoneMatch = request.headers['if-none-match'];
  const failed =
    (ifNoneMatch === '*' && existing !== undefined) ||
    (ifMatch !== undefined && (existing === undefined || (ifMatch !== '*' && ifMatch !== existing.etag)));
  if (failed)
    throw armError(
      412,
      'PreconditionFailed',
      `Precondition failed. The etag '${ifMatch ?? ifNoneMatch}' does not fit that of the resource, '${existing?.etag ?? ''}'.`,
    );
}

// ---------------------------------------------------------------------------------------------------

const PAGE_SIZE = 500;

function one(context: ArmContext, { type, view }: ReadOptions, request: ArmRequest): ArmAnswer {
  const resource = requireResource(context, idOf(context, type, request));
  return ok(view === undefined ? resource : view(resource, request));
}

class Lists {
  readonly #context: ArmContext;
  readonly #options: ReadOptions;
  readonly #lagged: LaggedView | undefined;

  constructor(context: ArmContext, options: ReadOptions) {
    this.#context = context;
    this.#options = options;
    const { listLagMs } = context.latencies;
    if (listLagMs > 0) this.#lagged = new LaggedView(context.store, context.world.clock, listLagMs);
  }

  page(request: ArmRequest): ArmAnswer {
    const { sub, rg } = request.params;
    if (rg !== undefined) this.#context.store.requireResourceGroup(sub!, rg);
    const all = this.#all(sub!, rg);
    const start = Number(request.query.get('$skiptoken') ?? 0);
    if (!Number.isSafeInteger(start) || start < 0)
      throw armError(400, 'InvalidSkipToken', 'The skip token is not valid.');
    const end = start + (this.#options.pageSize ?? PAGE_SIZE);
    const { view } = this.#options;
    const value = all
      .slice(start, end)
      .map((resource) => (view === undefined ? resource : view(resource, request)));
    if (end >= all.length) return ok({ value });
    const version = encodeURIComponent(request.apiVersion);
    return ok({
      value,
      nextLink: `${request.baseUrl}${encodeURI(request.path)}?api-version=${version}&$skiptoken=${end}`,
    });
  }

  #all(subscriptionId: string, resourceGroup: string | undefined): readonly ArmResource[] {
    const { type } = this.#options;
    if (this.#lagged === undefined)
      return this.#context.store.list(type, {
        subscriptionId,
        ...(resourceGroup === undefined ? {} : { resourceGroup }),
      });
    const prefix = `/subscriptions/${subscriptionId}/${resourceGroup === undefined ? '' : `resourcegroups/${resourceGroup}/`}`;
    return [...this.#lagged.resources()].filter(
      (resource) =>
        resource.type.toLowerCase() === type.toLowerCase() &&
        resource.id.toLowerCase().startsWith(prefix.toLowerCase()),
    );
  }
}

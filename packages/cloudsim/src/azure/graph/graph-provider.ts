/**
 * Microsoft.ResourceGraph: paged queries over all resources, as shown by an index that lags behind.
 */
import { listAt, numberAt, objectAt, requireBody, requireText, textAt } from '../store/body.ts';
import { LaggedView } from '../store/lagged-view.ts';
import type { ArmResource } from '../store/resource.ts';
import { parseResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, ok } from '../wire/arm-request.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { ArmError, type ArmErrorBody } from '../wire/errors.ts';
import { type Row, runQuery } from './evaluate.ts';
import { parseQuery, type Query } from './kql.ts';
import { QueryError } from './kql-tokens.ts';

export const graphProvider: Provider = (context) => {
  const view = new LaggedView(context.store, context.world.clock, context.latencies.graphLagMs);
  return [
    {
      method: 'POST',
      pattern: '/providers/Microsoft.ResourceGraph/resources',
      apiVersions: ['2019-04-01', '2021-03-01', '2022-10-01', '2024-04-01'],
      // Everybody may query; what the caller may not read is left out.
      access: 'token',
      handle: (request) => answer(context, view, request),
    },
  ];
};

// ---------------------------------------------------------------------------------------------------

const MAX_PAGE = 1000;
/** A larger page is refused, not shortened. */
const MAX_BYTES = 16 * 1024 * 1024;
/** So few rows are never too large; measuring them would cost more than it is worth. */
const SMALL_PAGE = 20;
/** With the fault `graph-pages`: the service may return fewer rows than were asked for, with a token for the rest. */
const SHORT_PAGE = 2;
/** Parts of other resources that the graph does not list on their own. */
const HIDDEN: ReadonlySet<string> = new Set([
  'microsoft.network/virtualnetworks/subnets',
  'microsoft.managedidentity/userassignedidentities/federatedidentitycredentials',
]);

function answer(context: ArmContext, view: LaggedView, request: ArmRequest): ArmAnswer {
  const body = requireBody(request.body);
  const options = objectAt(body, 'options');
  const text = requireText(body, 'query');
  const query = parsed(context, request, text);
  const subscriptions = listAt(body, 'subscriptions')?.map((one) => String(one).toLowerCase());
  const rows =
    query.table === 'resources' ? resourceRows(context, view, request, subscriptions) : groupRows(context);
  const odd = context.faults.trigger('graph', { method: 'POST' }) !== undefined;
  const found = runQuery(query, rows);
  // Only a query that sorts has an order.
  const all = odd && !isSorted(text) ? shuffled(context, found) : found;
  const top = Math.min(odd ? SHORT_PAGE : MAX_PAGE, numberAt(options, '$top') ?? MAX_PAGE);
  const start = startOf(
    context,
    request,
    text,
    textAt(options, '$skipToken'),
    numberAt(options, '$skip') ?? 0,
  );
  const data = all.slice(start, start + top);
  checkSize(context, request, data);
  const more = start + data.length < all.length;
  return ok({
    totalRecords: all.length,
    count: data.length,
    resultTruncated: 'false',
    ...(more ? { $skipToken: tokenOf(text, start + data.length) } : {}),
    facets: [],
    data: textAt(options, 'resultFormat') === 'table' ? asTable(data) : data,
  });
}

function isSorted(query: string): boolean {
  return /\|\s*(?:order|sort)\s+by\b/i.test(query);
}

function shuffled({ world }: ArmContext, rows: readonly Row[]): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: world.random.next() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ row }) => row);
}

function parsed(context: ArmContext, request: ArmRequest, text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const line = text.slice(0, error.at).split('\n');
    throw refusal(context, request, [
      {
        code: 'InvalidQuery',
        message:
          'Query is invalid. Please refer to the documentation for the Azure Resource Graph service and fix the error before retrying.',
      },
      {
        code: 'ParserFailure',
        message: `ParserFailure: ${error.message}; line ${line.length}, position ${line.at(-1)!.length}, token '${error.token}'`,
      },
    ]);
  }
}

function checkSize(context: ArmContext, request: ArmRequest, data: readonly Row[]): void {
  if (data.length <= SMALL_PAGE) return;
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes <= MAX_BYTES) return;
  throw refusal(context, request, [
    {
      code: 'ResponsePayloadTooLarge',
      message: `Response payload size is ${bytes}, and has exceeded the limit of ${MAX_BYTES}. Please consider querying less data at a time and make paginated call if needed.`,
    },
  ]);
}

function refusal(context: ArmContext, request: ArmRequest, details: readonly ArmErrorBody[]): ArmError {
  const timestamp = new Date(context.world.clock.now()).toISOString();
  return new ArmError(400, {
    code: 'BadRequest',
    message: `Please provide below info when asking for support: timestamp = ${timestamp}, correlationId = ${request.requestId}.`,
    details,
  });
}

function resourceRows(
  { access, settings }: ArmContext,
  view: LaggedView,
  request: ArmRequest,
  subscriptions: readonly string[] | undefined,
): readonly Row[] {
  const rows: Row[] = [];
  for (const resource of view.resources()) {
    const { subscriptionId, resourceGroup } = parseResourceId(resource.id)!;
    if (subscriptions !== undefined && !subscriptions.includes(subscriptionId.toLowerCase())) continue;
    if (HIDDEN.has(resource.type.toLowerCase())) continue;
    if (!access.allowed(request.principal!.objectId, `${resource.type}/read`, resource.id)) continue;
    rows.push(rowOf(resource, subscriptionId, resourceGroup, settings.tenantId));
  }
  return rows.sort((one, other) => ((one['id'] as string) < (other['id'] as string) ? -1 : 1));
}

function rowOf(resource: ArmResource, subscriptionId: string, resourceGroup: string, tenantId: string): Row {
  return {
    id: resource.id,
    name: resource.name,
    type: resource.type.toLowerCase(),
    tenantId,
    kind: resource.kind ?? '',
    location: resource.location ?? '',
    resourceGroup: resourceGroup.toLowerCase(),
    subscriptionId,
    managedBy: resource.managedBy ?? '',
    sku: resource.sku ?? null,
    plan: null,
    properties: resource.properties,
    tags: resource.tags ?? null,
    identity: resource.identity ?? null,
    zones: resource.zones ?? null,
    extendedLocation: null,
  };
}

function groupRows({ store, settings }: ArmContext): readonly Row[] {
  return store.resourceGroups(settings.subscriptionId).map((group) => ({
    id: `/subscriptions/${group.subscriptionId}/resourceGroups/${group.name}`,
    name: group.name,
    type: 'microsoft.resources/subscriptions/resourcegroups',
    location: group.location,
    resourceGroup: group.name.toLowerCase(),
    subscriptionId: group.subscriptionId,
    tags: group.tags ?? null,
    properties: { provisioningState: 'Succeeded' },
  }));
}

/** A token is valid only for the query that returned it. */
function tokenOf(query: string, start: number): string {
  return Buffer.from(JSON.stringify({ start, length: query.length })).toString('base64');
}

function startOf(
  context: ArmContext,
  request: ArmRequest,
  query: string,
  token: string | undefined,
  skip: number,
): number {
  if (token === undefined) return Math.max(0, skip);
  try {
    const { start, length } = JSON.parse(Buffer.from(token, 'base64').toString()) as Record<string, unknown>;
    if (Number.isSafeInteger(start) && length === query.length) return start as number;
  } catch {
    // Rejected below, like any other unknown token.
  }
  throw refusal(context, request, [
    { code: 'InvalidSkipToken', message: 'The skip token does not belong to this query or is not valid.' },
  ]);
}

function asTable(rows: readonly Row[]): unknown {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    columns: names.map((name) => ({ name, type: typeof rows[0]?.[name] === 'object' ? 'object' : 'string' })),
    rows: rows.map((row) => names.map((name) => row[name] ?? null)),
  };
}

/**
 * Boot diagnostics in managed storage: `retrieveBootDiagnosticsData` returns signed addresses, and this server serves the
 * blobs at those addresses, with the errors of the storage service.
 */
import { createHmac } from 'node:crypto';
import { idOf, requireResource } from '../store/read-routes.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, invalidParameter } from '../wire/errors.ts';
import { VM_TYPE } from './vm-checks.ts';
import type { VmState, VmStates } from './vm-states.ts';

export function bootDiagnosticsRoutes(
  context: ArmContext,
  states: VmStates,
  apiVersions: readonly string[],
): readonly ArmRoute[] {
  const key = context.world.random.uuid();
  return [
    {
      method: 'POST',
      pattern: `/subscriptions/{sub}/resourceGroups/{rg}/providers/${VM_TYPE}/{name}/retrieveBootDiagnosticsData`,
      apiVersions,
      handle: (request) => retrieve(context, states, key, request),
    },
    {
      method: 'GET',
      pattern: '/bootdiagnostics/{vmId}/{blob}',
      apiVersions: [],
      access: 'open',
      handle: (request) => blob(context, states, key, request),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

const SERIAL = 'serialconsole.log';
const SCREEN = 'screenshot.bmp';
const DEFAULT_MINUTES = 120;
const MAX_MINUTES = 1440;

function retrieve(context: ArmContext, states: VmStates, key: string, request: ArmRequest): ArmAnswer {
  const vm = requireResource(context, idOf(context, VM_TYPE, request));
  const state = states.state(vm.id)!;
  if (!state.desired.bootDiagnostics)
    throw armError(
      409,
      'OperationNotAllowed',
      `Boot diagnostics is not enabled on the VM '${vm.name}'. Enable boot diagnostics with a managed storage account to use this operation.`,
    );
  const minutes = Number(request.query.get('sasuriexpirationtimeinminutes') ?? DEFAULT_MINUTES);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES)
    throw invalidParameter(
      'sasUriExpirationTimeInMinutes',
      `The value must be a whole number from 1 to ${MAX_MINUTES}.`,
    );
  const untilMs = context.world.clock.now() + minutes * 60_000;
  const address = (name: string) => signedAddress(request.baseUrl, key, state, name, untilMs);
  return ok({ consoleScreenshotBlobUri: address(SCREEN), serialConsoleLogBlobUri: address(SERIAL) });
}

function signedAddress(baseUrl: string, key: string, state: VmState, name: string, untilMs: number): string {
  const path = `/bootdiagnostics/${state.vmId}/${name}`;
  const expiry = new Date(untilMs).toISOString();
  const query = new URLSearchParams({
    sv: '2024-11-04',
    sr: 'b',
    sp: 'r',
    se: expiry,
    id: state.id,
    sig: sign(key, path, expiry, state.id),
  });
  return `${baseUrl}${path}?${query}`;
}

function sign(key: string, path: string, expiry: string, id: string): string {
  return createHmac('sha256', key).update(`${path}\n${expiry}\n${id}`).digest('base64');
}

function blob(context: ArmContext, states: VmStates, key: string, request: ArmRequest): ArmAnswer {
  const { query, params } = request;
  const expiry = query.get('se') ?? '';
  const id = query.get('id') ?? '';
  const signed = query.get('sig') === sign(key, request.path, expiry, id);
  if (!signed || Date.parse(expiry) <= context.world.clock.now())
    return storageError(
      403,
      'AuthenticationFailed',
      'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
      request.requestId,
    );
  const state = states.state(id);
  if (state === undefined || state.vmId !== params['vmId'])
    return storageError(
      404,
      'ContainerNotFound',
      'The specified container does not exist.',
      request.requestId,
    );
  if (params['blob'] !== SERIAL || !state.allocated)
    return storageError(404, 'BlobNotFound', 'The specified blob does not exist.', request.requestId);
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'x-ms-blob-type': 'AppendBlob',
      'x-ms-version': '2024-11-04',
    },
    raw: state.serial,
  };
}

function storageError(status: number, code: string, message: string, requestId: string): ArmAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml', 'x-ms-error-code': code },
    raw: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}\nRequestId:${requestId}</Message></Error>`,
  };
}

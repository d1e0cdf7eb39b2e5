/** Probes and lifecycle handlers: exactly one handler each, and valid numbers. */
import type { V1LifecycleHandler, V1Probe } from '@kubernetes/client-node';
import type { FieldErrors } from '../validation/field-errors.ts';
import { portName, portNumber } from '../validation/names.ts';

type Handler = Pick<V1Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<V1LifecycleHandler, 'sleep'>;

export function checkProbe(
  probe: V1Probe,
  gracePeriodSeconds: number | undefined,
  path: string,
  errors: FieldErrors,
): void {
  checkHandler(probe, gracePeriodSeconds, path, errors);
  for (const field of COUNTS) errors.notNegative(`${path}.${field}`, probe[field]);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    errors.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
  }
}

export function checkHandler(
  handler: Handler,
  gracePeriodSeconds: number | undefined,
  path: string,
  errors: FieldErrors,
): void {
  let found = false;
  for (const type of TYPES) {
    if (handler[type] === undefined) continue;
    if (found) errors.forbidden(`${path}.${type}`, 'may not specify more than 1 handler type');
    else checkAction(handler, type, gracePeriodSeconds, `${path}.${type}`, errors);
    found = true;
  }
  if (!found) errors.required(path, 'must specify a handler type');
}

export function checkPortOrName(port: unknown, path: string, errors: FieldErrors): void {
  errors.invalidFor(path, port, typeof port === 'string' ? portName(port) : portNumber(port as number));
}

// ---------------------------------------------------------------------------------------------------

const TYPES = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;
const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;
const SCHEMES = ['HTTP', 'HTTPS'];

function checkAction(
  handler: Handler,
  type: (typeof TYPES)[number],
  gracePeriodSeconds: number | undefined,
  path: string,
  errors: FieldErrors,
): void {
  switch (type) {
    case 'exec':
      if ((handler.exec?.command ?? []).length === 0) errors.required(`${path}.command`);
      return;
    case 'httpGet':
      checkHttpGet(handler.httpGet!, path, errors);
      return;
    case 'sleep': {
      const { seconds } = handler.sleep!;
      if (gracePeriodSeconds !== undefined && (seconds < 0 || seconds > gracePeriodSeconds)) {
        errors.invalid(
          path,
          seconds,
          `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`,
        );
      }
      return;
    }
    default:
      checkPortOrName(handler[type]!.port, `${path}.port`, errors);
  }
}

function checkHttpGet(action: NonNullable<V1Probe['httpGet']>, path: string, errors: FieldErrors): void {
  if (!action.path) errors.required(`${path}.path`);
  checkPortOrName(action.port, `${path}.port`, errors);
  if (!SCHEMES.includes(action.scheme ?? '')) errors.notSupported(`${path}.scheme`, action.scheme, SCHEMES);
  for (const { name } of action.httpHeaders ?? []) {
    if (/^[-A-Za-z0-9]+$/.test(name)) continue;
    errors.invalid(
      `${path}.httpHeaders`,
      name,
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    );
  }
}

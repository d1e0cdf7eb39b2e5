/**
 * Faults over HTTP, for curl: list, add, remove. Calls need the secret of the run, because every user of the machine can
 * reach the loopback address.
 */
import { timingSafeEqual } from 'node:crypto';
import type { OwnPath } from '../wire/gateway.ts';
import type { RawAnswer, RawRequest } from '../wire/protocols.ts';
import { FAULTS } from './catalogue.table.ts';
import type { FaultRegister, FaultSpec } from './fault.ts';
import { FaultSyntaxError } from './parse-fault.ts';

export function faultPath(faults: FaultRegister, secret: string): OwnPath {
  return {
    prefix: PATH,
    handle(request) {
      if (!isAuthorized(request, secret))
        return json(401, {
          message:
            'This call needs the secret of this playground: curl -H @fault-header, a file beside aws.env that only its owner can read',
        });
      const id = request.path.slice(PATH.length + 1);
      switch (request.method) {
        case 'GET':
          return json(200, { faults: faults.list(), known: FAULTS });
        case 'POST':
          return added(faults, request.body);
        case 'DELETE':
          if (id === '') faults.clear();
          else if (faults.remove(id) === 0) return json(404, { message: `fault '${id}' is not active` });
          return { status: 204, headers: {}, body: '' };
        default:
          return json(405, { message: `${request.method} is not allowed here` });
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const PATH = '/playground/faults';

function isAuthorized({ headers }: RawRequest, secret: string): boolean {
  const given = Buffer.from(headers['authorization'] ?? '');
  const expected = Buffer.from(`Bearer ${secret}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A JSON object, a JSON list of objects, or the short text. */
function added(faults: FaultRegister, body: string): RawAnswer {
  try {
    const given = parsed(body);
    const specs = Array.isArray(given) ? given : [given];
    return json(201, { faults: specs.map((spec) => faults.add(spec as FaultSpec | string)) });
  } catch (error) {
    if (error instanceof FaultSyntaxError) return json(400, { message: error.message });
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}

function json(status: number, value: unknown): RawAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The verbs on subresources. Those with the kind of the resource are served like the resource, the others here. */
import { decodeAs } from '../builtin/strategy.ts';
import { structureOf } from '../builtin/structures.ts';
import { answerTokenRequest } from '../edge/auth/token-request.ts';
import { noContainers, noSuchResource, notFound } from '../errors.ts';
import type { Subresource } from '../resource.ts';
import { type ApiAnswer, jsonAnswer } from './answer.ts';
import { readBody } from './body.ts';
import { readPatch } from './patch.ts';
import { bindPod, decodeBinding } from './subresources/binding.ts';
import { evictPod } from './subresources/eviction.ts';
import { patchScale, readScale, replaceScale } from './subresources/scale.ts';
import { get, patch, statusAnswer, update, type VerbHandler, type VerbRequest } from './verbs.ts';
import { writeOptionsOf } from './write-options.ts';

export function subresourceHandler(name: Subresource['name'], verb: string): VerbHandler {
  const handler = HANDLERS[name]?.[verb];
  if (handler === undefined) throw noSuchResource();
  return handler;
}

// ---------------------------------------------------------------------------------------------------

const SAME_KIND: Readonly<Record<string, VerbHandler>> = { get, update, patch };

const HANDLERS: Partial<Record<string, Readonly<Record<string, VerbHandler>>>> = {
  status: SAME_KIND,
  approval: SAME_KIND,
  finalize: SAME_KIND,
  ephemeralcontainers: SAME_KIND,
  resize: SAME_KIND,
  scale: {
    get: ({ call }) => jsonAnswer(200, readScale(call)),
    update: (from) => {
      const { value, duplicates } = bodyFor(from, 'autoscaling/v1', 'Scale', 'UpdateOptions');
      return jsonAnswer(200, replaceScale(from.call, value, duplicates));
    },
    patch: ({ call, request, query }) => jsonAnswer(200, patchScale(call, readPatch(call, request, query))),
  },
  eviction: {
    create: (from) => {
      const { value, duplicates } = bodyFor(from, 'policy/v1', 'Eviction', 'CreateOptions');
      return statusAnswer(evictPod(from.call, value, duplicates));
    },
  },
  binding: {
    create: (from) => {
      const { value, duplicates } = bodyFor(from, 'v1', 'Binding', 'CreateOptions');
      return statusAnswer(
        bindPod(from.call, decodeBinding(from.call, value, duplicates), from.call.objectName),
      );
    },
  },
  token: { create: requestToken },
  log: { get: refuseContainer },
  exec: { create: refuseContainer, get: refuseContainer },
  attach: { create: refuseContainer, get: refuseContainer },
  portforward: { create: refuseContainer, get: refuseContainer },
};

function refuseContainer({ call, route }: VerbRequest): never {
  const { resource, objectName: name, namespace = '' } = call;
  if (call.parts.store.get(resource.storage.key, namespace, name) === undefined)
    throw notFound(resource, name);
  throw noContainers(resource, name, route.subresource ?? '');
}

function bodyFor(
  { call, request, query }: VerbRequest,
  apiVersion: string,
  kind: string,
  options: 'CreateOptions' | 'UpdateOptions',
) {
  call.options = writeOptionsOf(query, options);
  return readBody(request, { apiVersion, kind });
}

function requestToken(from: VerbRequest): ApiAnswer {
  const { call } = from;
  const { value, duplicates } = bodyFor(from, 'authentication.k8s.io/v1', 'TokenRequest', 'CreateOptions');
  const structure = structureOf('authentication.k8s.io', 'v1', 'TokenRequest')!;
  const kind = {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenRequest',
    namespaced: true,
    structure,
  };
  const answer = answerTokenRequest(decodeAs(kind, value, call, duplicates), {
    namespace: call.namespace ?? '',
    name: call.objectName,
    now: call.now,
    tokens: call.parts.serviceAccounts,
    lookup: (key, namespace, name) => call.lookup(key, namespace, name),
  });
  return jsonAnswer(201, answer);
}

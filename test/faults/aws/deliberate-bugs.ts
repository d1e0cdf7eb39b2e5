/** Deliberate bugs that are about AWS. See `deliberate-bugs.ts` above. */
import { type Fetch, singleton, type World } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import type { AwsCloud } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { blind, replacing, rewriting, withCloud, without } from '../bug-seams.ts';
import type { DeliberateBug } from '../deliberate-bug.ts';
import type { Seams } from '../process.ts';
import { methodOf, pathOf } from '../request.ts';
import { readCall } from './aws-call.ts';
import { ZONAL_SHIFT } from './aws-swarm.ts';

const RETIREMENT = [{ atMs: 149_000, action: 'instance retires' }];

export const AWS_BUGS: readonly DeliberateBug[] = [
  {
    name: 'client tokens are made from the process instead of the UID of the claim',
    foundBy: 'one instance per NodeClaim',
    scenario: { killAtAnswer: /^aws POST ec2:CreateFleet 200/ },
    seams: {
      parts: withCloud((cloud, { name }) => ({
        create({ claim, ...rest }, signal) {
          const metadata = { ...claim.metadata, uid: `${name}-${claim.metadata.uid}` };
          return cloud.create({ ...rest, claim: { ...claim, metadata } }, signal);
        },
      })),
      kubeFetch: (send, world) =>
        // Records of other processes are not read: otherwise their tokens would be used.
        blind(/"chandler\.sh\/launch-record":"chandler-p1-[^"]*"/g, '"ignored":"1"')(
          rewriting(({ body }) => {
            const [, uid] = /^p\d+-(.+)$/.exec(body?.metadata?.uid ?? '') ?? [];
            return uid === undefined ? undefined : { body: { ...body, metadata: { ...body.metadata, uid } } };
          })(send, world),
          world,
        ),
    },
  },
  {
    name: 'the launch record is not kept before the request is sent',
    foundBy: 'one instance per NodeClaim',
    seams: {
      kubeFetch: rewriting(({ body }) => {
        const annotations = body?.metadata?.annotations;
        if (annotations?.['chandler.sh/launch-record'] === undefined) return undefined;
        const { 'chandler.sh/launch-record': _, ...others } = annotations;
        return { body: { ...body, metadata: { ...body.metadata, annotations: others } } };
      }),
    },
  },
  {
    name: 'an instance that EC2 does not show yet counts as gone',
    foundBy: 'finalizer order',
    seams: {
      parts: withCloud((cloud) => ({
        async delete(claim, signal) {
          const step = await cloud.delete(claim, signal);
          return step.state === 'deleting' && claim.status?.providerID ? { state: 'gone' } : step;
        },
      })),
    },
  },
  {
    name: 'an instance in a zone that is shifted away counts as gone',
    foundBy: 'finalizer order',
    scenario: { features: [ZONAL_SHIFT] },
    seams: {
      parts: withCloud((cloud) => ({
        async delete(claim, signal) {
          try {
            return await cloud.delete(claim, signal);
          } catch (error) {
            if ((error as { reason?: string }).reason !== 'ZoneShifted') throw error;
            return { state: 'gone' };
          }
        },
      })),
    },
  },
  {
    name: 'garbage collection of instances is disabled',
    foundBy: 'no leaked resources',
    seams: { controllers: without('nodeclaim.garbagecollection') },
  },
  {
    name: 'unused launch templates are not deleted',
    foundBy: 'no leaked resources',
    seams: { controllers: without('launchtemplate.garbagecollection') },
  },
  {
    name: 'launch templates are deleted while a launch uses them',
    foundBy: 'launch templates in use are kept',
    seams: {
      parts: (parts, world) => ({
        ...parts,
        controllers: (context) => [
          ...(parts.controllers?.(context) ?? []),
          eagerCollection(parts.cloud as AwsCloud, world),
        ],
      }),
    },
  },
  {
    name: 'a lack of capacity is not remembered',
    foundBy: 'what is unavailable is not tried again',
    scenario: { cloud: ['capacity'] },
    seams: { cloudFetch: replacing(/InsufficientInstanceCapacity/g, 'InternalError') },
  },
  {
    name: 'throttling is handled like any other error',
    foundBy: 'rate limits',
    scenario: { cloud: ['throttle@rate=0.5,operation=ec2:Describe*'] },
    seams: { cloudFetch: replacing(/RequestLimitExceeded/g, 'InternalError') },
  },
  {
    name: 'a message is deleted although its NodeClaim could not be',
    foundBy: 'messages are handled',
    scenario: { happenings: RETIREMENT },
    seams: { kubeFetch: withoutDeletionOfClaims() },
  },
  {
    name: 'messages about the health of instances are not read',
    foundBy: 'messages are handled',
    scenario: { happenings: RETIREMENT },
    seams: {
      cloudFetch: withoutMessages(/AWS Health Event/),
      controllers: without('interruption.instancestatus'),
    },
  },
  {
    name: 'the secret of a session is logged',
    foundBy: 'no leaked secrets',
    seams: { cloudFetch: loggingAnswers(/<SecretAccessKey>/) },
  },
];

// ---------------------------------------------------------------------------------------------------

function eagerCollection({ templates }: AwsCloud, world: World) {
  return singleton({
    name: 'template.eager',
    world,
    everyMs: 50,
    run: () => templates.deleteOfClass('one', neverAborted()),
  });
}

/** The process takes them for gone. */
function withoutDeletionOfClaims(): NonNullable<Seams['kubeFetch']> {
  return (send) => async (input, init) => {
    const [, name] = /\/nodeclaims\/([^/]+)$/.exec(pathOf(input)) ?? [];
    if (methodOf(init) !== 'DELETE' || name === undefined) return send(input, init);
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `nodeclaims.karpenter.sh "${name}" not found`,
      reason: 'NotFound',
      details: { name, group: 'karpenter.sh', kind: 'nodeclaims' },
      code: 404,
    };
    const headers = { 'content-type': 'application/json' };
    return new Response(JSON.stringify(body), { status: 404, headers });
  };
}

/** They are received, and nobody sees them. */
function withoutMessages(what: RegExp): NonNullable<Seams['cloudFetch']> {
  return (send) => async (input, init) => {
    const answer = await send(input, init);
    if (readCall(input, init).path !== 'sqs:ReceiveMessage' || answer.status !== 200) return answer;
    const { status, headers } = answer;
    const { Messages: messages = [] } = (await answer.json()) as { Messages?: { readonly Body: string }[] };
    const Messages = messages.filter(({ Body }) => !what.test(Body));
    return new Response(JSON.stringify(Messages.length === 0 ? {} : { Messages }), { status, headers });
  };
}

function loggingAnswers(what: RegExp): (send: Fetch, world: World) => Fetch {
  return (send, { log }) =>
    async (input, init) => {
      const answer = await send(input, init);
      const text = await answer.clone().text();
      if (what.test(text)) log.debug('answer', { text });
      return answer;
    };
}

/**
 * At most one instance for a claim, also across crashes: a launch is known by its token, every token is kept by the claims that it
 * is for before anything is launched with it, and no more is launched with it than for these claims.
 */
import { type Check, isTrue, type MakeCheck } from '../../checks/check.ts';
import { INSTANCE } from '../../server-state/cloud-state.ts';
import type { AwsState } from '../aws-state.ts';

export const oneInstancePerClaim: MakeCheck = (view): Check => {
  const state = view.cloud as AwsState;
  /** The first instance of a claim. */
  const first = new Map<string, string>();
  /** Instances that Chandler terminated. */
  const terminated = new Set<string>();
  /** The claim that names an instance. */
  const namedBy = new Map<string, string>();
  return {
    name: 'one instance per NodeClaim',
    onArrival({ path, body }) {
      if (path !== 'ec2:TerminateInstances') return undefined;
      for (const [key, value] of Object.entries(body as Record<string, string>))
        if (key.startsWith('InstanceId')) terminated.add(value);
      return undefined;
    },
    onCloud({ type, thing, isNew }) {
      if (thing.part !== INSTANCE) return;
      const uid = state.claimOf(thing);
      if (type === 'gone') {
        const claim = uid === undefined ? undefined : view.kube.byUid('claims', uid);
        if (claim !== undefined && !isTrue(claim, 'Launched') && !terminated.has(thing.id))
          first.delete(uid!);
        return;
      }
      if (!isNew) return;
      const token = state.tokenOf(thing) ?? '';
      const keepers = state.keepersOf(token).length;
      if (keepers === 0)
        view.violated(this.name, `${thing.id} was launched with the token "${token}", which no claim keeps`);
      else if (state.launchedWith(token) > keepers)
        view.violated(
          this.name,
          `${state.launchedWith(token)} instances were launched with ${token} for ${keepers} claims`,
        );
      if (uid === undefined) return;
      const before = first.get(uid);
      if (before !== undefined && before !== thing.id)
        view.violated(this.name, `${thing.id} was launched for claim ${uid}, which already had ${before}`);
      first.set(uid, before ?? thing.id);
    },
    onKube({ kind, type, object, before }) {
      if (kind !== 'claims' || type === 'DELETED') return;
      const [is, was] = [object, before].map((each) => each?.status?.providerID as string | undefined);
      const { name, uid } = object.metadata;
      if (is === undefined || is === was) return;
      if (was !== undefined && before?.metadata.uid === uid)
        view.violated(this.name, `claim ${name} named ${was}, and now ${is}`);
      const other = namedBy.get(is);
      if (other !== undefined && other !== uid)
        view.violated(this.name, `claims ${other} and ${uid} name ${is}`);
      namedBy.set(is, uid!);
    },
  };
};

/** The instance profile of a node class: its own, or the one that is created for its role. */
import { asCloudError } from '../errors/index.ts';
import {
  type EnsuredProfile,
  type InstanceProfiles,
  profileNameProblem,
} from '../instance-profiles/index.ts';
import { Condition, type Draft, type Part, type PartResult, unresolved } from './part.ts';

export interface ProfilePartDeps {
  readonly profiles: Pick<InstanceProfiles, 'ensure'>;
  /** Then IAM cannot be reached, which has no private endpoint. */
  readonly isolatedVpc: () => boolean;
  /** Without dry runs nothing notices that EC2 does not know a new profile yet. */
  readonly dryRunDisabled: () => boolean;
}

export function profilePart(deps: ProfilePartDeps): Part {
  return {
    name: 'instance profile',
    condition: Condition.instanceProfile,
    async reconcile(draft, signal) {
      const { instanceProfile, role } = draft.nodeClass.spec;
      if (role === undefined) return ownProfile(draft, instanceProfile ?? '');
      let ensured: EnsuredProfile;
      try {
        ensured = await deps.profiles.ensure(wantedBy(draft, role), signal);
      } catch (thrown) {
        signal.throwIfAborted();
        return notEnsured(draft, thrown, deps.isolatedVpc());
      }
      if ('problem' in ensured) {
        const { reason, message } = ensured.problem;
        draft.conditions.setFalse(Condition.instanceProfile, reason, message);
        return reason === 'RoleInvalid' ? {} : { requeueAfterMs: PROBLEM_REQUEUE_MS };
      }
      draft.status.instanceProfile = ensured.name;
      const waitMs = deps.dryRunDisabled() ? ensured.usableAtMs - draft.nowMs : 0;
      if (waitMs <= 0) {
        draft.conditions.setTrue(Condition.instanceProfile);
        return {};
      }
      draft.conditions.setUnknown(
        Condition.instanceProfile,
        'InstanceProfilePropagating',
        `the instance profile ${ensured.name} was just created; EC2 learns of it within seconds`,
      );
      return { requeueAfterMs: waitMs };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** A role may be created, a quota raised: nothing reports it. */
const PROBLEM_REQUEUE_MS = 60_000;

function ownProfile({ conditions, status }: Draft, name: string): PartResult {
  const problem = profileNameProblem(name);
  if (problem === undefined) {
    status.instanceProfile = name;
    conditions.setTrue(Condition.instanceProfile);
  } else {
    conditions.setFalse(Condition.instanceProfile, problem.reason, problem.message);
  }
  return {};
}

function wantedBy({ nodeClass, status }: Draft, role: string) {
  const { metadata, spec } = nodeClass;
  return {
    owner: { name: metadata.name, uid: metadata.uid },
    role,
    tags: spec.tags,
    current: status.instanceProfile,
  };
}

function notEnsured(draft: Draft, thrown: unknown, isolatedVpc: boolean): PartResult {
  const result = unresolved(draft, Condition.instanceProfile, thrown);
  const condition = draft.conditions.get(Condition.instanceProfile);
  const isUnreachable = asCloudError(thrown).kind === 'Unreachable';
  if (isolatedVpc && isUnreachable && condition?.status === 'Unknown')
    draft.conditions.setUnknown(
      Condition.instanceProfile,
      condition.reason,
      `${condition.message ?? ''}; IAM cannot be reached from an isolated VPC: use spec.instanceProfile instead of spec.role`,
    );
  return result;
}

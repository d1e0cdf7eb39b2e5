/** The plugins of a default server that matter to what runs here, in the order of the real one. */
import type { RbacAuthorizer } from '../../edge/auth/rbac.ts';
import { Admission } from './admission.ts';
import { DEFINITION_LIFECYCLE } from './definition-lifecycle.ts';
import { LIMIT_RANGER } from './limit-ranger.ts';
import { NAMESPACE_LIFECYCLE } from './namespace-lifecycle.ts';
import { DEFAULT_STORAGE_CLASS, STORAGE_PROTECTION, TAINT_NODES_BY_CONDITION } from './object-defaults.ts';
import { DEFAULT_TOLERATION_SECONDS, PRIORITY } from './pod-defaults.ts';
import { rbacEscalation } from './rbac-escalation.ts';
import { RESOURCE_QUOTA } from './resource-quota.ts';
import { RUNTIME_CLASS } from './runtime-class.ts';
import { SERVICE_ACCOUNT } from './service-account.ts';

export interface AdmissionOptions {
  /** Decides which permissions the caller has and may therefore grant. */
  readonly authorizer: RbacAuthorizer;
  readonly taintNewNodes: boolean;
  /** Finalizers that only the collector removes. */
  readonly protectStorage: boolean;
}

export function defaultAdmission({ authorizer, taintNewNodes, protectStorage }: AdmissionOptions): Admission {
  return new Admission([
    NAMESPACE_LIFECYCLE,
    LIMIT_RANGER,
    SERVICE_ACCOUNT,
    ...(taintNewNodes ? [TAINT_NODES_BY_CONDITION] : []),
    PRIORITY,
    RUNTIME_CLASS,
    DEFAULT_TOLERATION_SECONDS,
    DEFAULT_STORAGE_CLASS,
    ...(protectStorage ? [STORAGE_PROTECTION] : []),
    DEFINITION_LIFECYCLE,
    rbacEscalation(authorizer),
    RESOURCE_QUOTA,
  ]);
}

/** Entry point: which permissions of IAM are needed, in which statement, and for what. */
export { CHECK_PERMISSIONS, type CheckAction } from './check-permissions.table.ts';
export { checkPolicy } from './policies.ts';
export {
  IAM_STATEMENTS,
  type IamStatement,
  KARPENTER_STATEMENTS,
  statementFor,
} from './statements.table.ts';
export {
  PERMISSION_USES,
  type PermissionUse,
  WITHOUT_PERMISSION,
} from './uses.table.ts';

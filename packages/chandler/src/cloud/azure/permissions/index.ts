/** Entry point: what the controller may do in Azure, as data. */
export {
  actionsOn,
  CONTROLLER_PERMISSIONS,
  type ControllerPermission,
  type PermissionScope,
  ROLE_GRANTS,
  type RoleGrant,
  SUBSCRIPTION_READS,
  useOf,
} from './permissions.table.ts';
export { renderAzurePermissionsDoc } from './permissions-doc.ts';

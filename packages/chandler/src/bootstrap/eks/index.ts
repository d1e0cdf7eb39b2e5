/** Entry point: the user data of EC2 instances that join an EKS cluster. */
export { bindsDefaultDirectories } from './bottlerocket.ts';
export { BOOTSTRAP_FAMILIES, type BootstrapFamilyRow, type UserDataFormat } from './families.table.ts';
export * from './input.ts';
export { type UnsupportedKubeletField, unsupportedKubeletFields } from './kubelet-settings.ts';
export { bootstrapLabels, eksKubeletLabels } from './node-settings.ts';
export { renderUserData } from './render.ts';
export {
  type RenderedUserData,
  USER_DATA_LIMIT_BYTES,
  USER_DATA_WARNING_BYTES,
  UserDataError,
  type UserDataErrorCode,
  type UserDataWarning,
  type UserDataWarningCode,
} from './user-data.ts';

export { writeKubeconfig } from './edge/kubeconfig.ts';
export { ADMIN, ApiServer, type ApiServerOptions, startApiServer } from './server.ts';

/** The Entra application of all AKS API servers: the audience of tokens for a cluster, in every cloud. */
export const AKS_SERVER_APP_ID = '6dae42f8-4368-4678-94ff-3960e28e3630';

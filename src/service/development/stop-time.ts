/** Seconds that a server which `dev` stops or restarts has to respond to the requests in flight. */
export const developmentStopTime = 1

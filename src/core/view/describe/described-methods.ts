/** The methods that a document describes: HEAD is a GET without its body, and OPTIONS describes a URL. */
export const describedMethods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

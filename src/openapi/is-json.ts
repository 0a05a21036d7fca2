/** Whether the bodies of a media type are JSON. */
export const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType)

// Programs that send a browser's user agent with their own name, and that isbot does not know: command
// lines, converters, test services, mail scanners, editors, and assistants that read pages for people.
const programs =
  /powershell\/|wkhtmlto(?:pdf|image)|\bjsdom\/|gtmetrix|barracuda sentinel|catchpoint|tsm-turingos|amazonbuyforme|novaact|agentcore|\b(?:amzn|chatgpt|claude|perplexity|mistralai|manus)-user\b|google-?agent|notebooklm|gemini-deep-research|kagi-fetcher|cohere-ai|duckassist|meta-external|meta-webindexer|\b(?:devin|grok)[/-]|\b(?:code|cursor|trae|windsurf|kiro|antigravity)\/[\d.]+ chrome\/[\d.]+ electron\//i;

export function isKnownProgram(agent: string): boolean {
  return programs.test(agent);
}

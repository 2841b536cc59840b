package shadow

const helper = "SHADOW_TEST_HELPER"

func playForge(string) int { return 0 }

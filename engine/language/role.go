package language

// role is what a word does in a sentence, whatever the word. The words of a role, what it means and
// an example are the row of that name in english/roles.txt, in this order.
type role uint8

const (
	roleClockLead role = iota
	roleMinuteLead
	roleSpanLead
	roleApproximate
	roleOrdinalEnding
	roleBehindInches
	roleRunning
	roleCommonUnit
	roleNotUnit
	roleNotSlip
	roleInUnit
	roleFunctional
	roleDayLead
	roleShortLead
	roleNotDay
	roleVerbOfMay
	roleMaybeMonth
	roleAdded
	roleAgain
	roleAbsent
	roleNotAbsent
	roleThickness
	roleTurning
	roleRanging
	roleGrowing
	roleOneOf
	roleIndefinite
	roleDefinite
	roleArticle
	roleSingle
	roleAnyOf
	roleWithout
	roleNo
	roleZero
	roleFromTo
	roleWhole
	rolePer
	roleMinuteLetter
	roleAdds
	roleMinus
	roleInside
	roleMultiplied
	roleCross
	roleCrossing
	rolePound
	roleBetween
	roleJoining
	roleEither
	roleOne
	roleAmountBy
	roleOrigin
	roleGoal
	rolePartitive
	roleDecimalPoint
	roleIsh
	roleSo
	roleIshSo
	roleAbout
	roleAsking
	roleMoneyLead
	roleMoneyLetter
	roleLowCode
	roleCaratCent
	roleHourSlip
	roleLoosely
	roleHourPast
	roleHourTo
	roleMinuteWord
	roleOclock
	roleMidnight
	rolePresent
	roleThisNight
	rolePresentDay
	roleAtHour
	roleAtRate
	roleDayJoint
	roleUpon
	roleClockJoint
	roleUntilWord
	roleOfIn
	roleLasting
	roleAnswerIn
	roleEquating
	rolePercentWord
	roleWhichOne
	roleHow
	roleOpener
	roleEndsQuestion
	roleSupposing
	roleAttaches
	roleDated
	roleCircumstance
	roleBelonging
	roleSoftener
	roleMoreOrLess
	roleLess
	roleDeterminer
	roleComparing
	roleChangeOf
	roleTop
	roleStates
	roleThatOne
	rolePairs
	roleOfThe
	roleMuch
	roleSame
	roleSides
	roleDozenWord
	roleLargeWord
	roleLasts
	roleThroughout
	roleReachBreak
	roleReachPreposition
	rolePoint
	roleStarts
	roleEnds
	rolePriced
	roleCounts
	rolePerWord
	roleGrammar
	roleTelling
	rolePlain
	roleOrdinary
	roleCount
)

// roles is a set of them.
type roles [2]uint64

func (r *roles) add(one role)     { r[one/64] |= 1 << (one % 64) }
func (r roles) has(one role) bool { return r[one/64]>>(one%64)&1 != 0 }
